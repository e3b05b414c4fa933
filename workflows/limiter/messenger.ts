import { getExternalWorkflowHandle, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import type { Asker } from '../../runtime/pacing.ts';
import { pacing } from '../activities.ts';
import { turnGrantedSignal } from '../messages.ts';
import type { Turns } from './turns.ts';

/** Jobs that one activity tells: a signal takes a few milliseconds. */
const TOLD_AT_ONCE = 500;

/** What a limiter sends to the jobs, beside its main loop; what comes back changes the turns. */
export class Messenger {
  readonly #turns: Turns;
  readonly #onChange: () => void;
  #underWay = 0;
  #isTelling = false;

  constructor(turns: Turns, onChange: () => void) {
    this.#turns = turns;
    this.#onChange = onChange;
  }

  get isQuiet(): boolean {
    return this.#underWay === 0;
  }

  /** A job that has closed refuses the signal at once, and the turn goes to the next. */
  grant({ turnId, workflowId, runId }: Asker): void {
    const job = getExternalWorkflowHandle(workflowId, runId);
    const grant = { turnId, limiterId: workflowInfo().workflowId };
    void this.#track(job.signal(turnGrantedSignal, grant), () => this.#withdraw([turnId]));
  }

  /** Tells waiting jobs of a pause and of its end: one batch after the other, so that the newest comes last. */
  tellNews(): void {
    if (this.#isTelling) return;
    const { askers, notice } = this.#turns.takeUntold(TOLD_AT_ONCE);
    if (askers.length === 0) return;
    this.#isTelling = true;
    const telling = pacing.tellParked({ askers, notice }).then((closed) => this.#withdraw(closed));
    void this.#track(telling.finally(() => (this.#isTelling = false)));
  }

  checkHolders(nowMs: number): void {
    const askers = this.#turns.takeUnseen(nowMs);
    if (askers.length === 0) return;
    void this.#track(pacing.findClosed({ askers }).then((closed) => this.#withdraw(closed)));
  }

  #withdraw(turnIds: readonly string[]): void {
    for (const turnId of turnIds) this.#turns.end(turnId, { kind: 'withdrawn' }, { nowMs: Date.now() });
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
