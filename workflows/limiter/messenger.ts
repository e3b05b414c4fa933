import { getExternalWorkflowHandle, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import type { PermitRequest } from '../../runtime/pacing.ts';
import { pacing } from '../activities.ts';
import { permitGrantedSignal } from '../messages.ts';
import type { Permits } from './permits.ts';

/** Jobs that one activity tells: a signal takes a few milliseconds. */
const TOLD_AT_ONCE = 500;

/** What a limiter sends to the jobs, beside its main loop; what comes back changes the permits. */
export class Messenger {
  readonly #permits: Permits;
  readonly #onChange: () => void;
  #underWay = 0;
  #isTelling = false;

  constructor(permits: Permits, onChange: () => void) {
    this.#permits = permits;
    this.#onChange = onChange;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** A job that has closed refuses the signal at once, and the permit goes to the next. */
  grant({ turnId, workflowId, runId }: PermitRequest): void {
    const job = getExternalWorkflowHandle(workflowId, runId);
    const grant = { turnId, limiterId: workflowInfo().workflowId };
    void this.#track(job.signal(permitGrantedSignal, grant), () => this.#withdraw([turnId]));
  }

  /** Tells waiting jobs of a pause and of its end: one batch after the other, so that the newest comes last. */
  tellNews(): void {
    if (this.#isTelling) return;
    const { askers, notice } = this.#permits.takeUntold(TOLD_AT_ONCE);
    if (askers.length === 0) return;
    this.#isTelling = true;
    const telling = pacing.notifyWaiters({ askers, notice }).then((closed) => this.#withdraw(closed));
    void this.#track(telling.finally(() => (this.#isTelling = false)));
  }

  checkHolders(nowMs: number): void {
    const askers = this.#permits.takeUnseen(nowMs);
    if (askers.length === 0) return;
    void this.#track(pacing.findClosed({ askers }).then((closed) => this.#withdraw(closed)));
  }

  #withdraw(turnIds: readonly string[]): void {
    for (const turnId of turnIds) this.#permits.end(turnId, { kind: 'withdrawn' }, { nowMs: Date.now() });
  }

  async #track(sending: Promise<void>, onFailure?: () => void): Promise<void> {
    this.#underWay += 1;
    try {
      await sending;
    } catch (error) {
      // Anything else is a bug of ours, and must not be lost.
      if (!(error instanceof TemporalFailure)) throw error;
      onFailure?.();
    } finally {
      this.#underWay -= 1;
      this.#onChange();
    }
  }
}
