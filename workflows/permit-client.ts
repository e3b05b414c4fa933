import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { MAX_PAUSED_MS, type PermitRequest, type UpstreamUse, type Waiting } from '../runtime/pacing.ts';
import { localPacing } from './activities.ts';
import type { Refusal } from '../runtime/pauses.ts';
import { pauseSignal, permitGrantedSignal, releasePermitSignal, type PermitEnd } from './messages.ts';
import { upstreamFailure } from './outcome.ts';

/** What a limiter has granted. */
export interface Permit extends PermitRequest {
  readonly limiterId: string;
}

interface Wait {
  isGranted: boolean;
  paused?: { readonly refusal: Refusal; readonly untilMs: number; readonly sinceMs: number } | undefined;
  /** Shown when no pause is the reason. */
  queued?: Waiting;
}

/** Shorter waits are not shown: each change of the memo is an event of the history. */
const QUICK_MS = 10_000;
/** A limiter that was terminated has forgotten who waits: they ask again, ever more rarely. */
const FIRST_REPEAT_MS = 5 * 60_000;
const LONGEST_REPEAT_MS = 60 * 60_000;

/** The server ends a workflow at 51,200 events, and tells nobody: a job whose pauses are many and short fails before that. */
const MAX_EVENTS = 40_000;

/** A job of version 4da8403: it requests permits of limiters, waits for them, releases them. Workers grant them now. */
export class PermitClient {
  readonly #recordId: string;
  readonly #show: (waiting: Waiting | undefined) => void;
  readonly #waits = new Map<string, Wait>();
  readonly #held = new Set<string>();
  #requests = 0;
  #pausedMs = 0;
  #sending = 0;

  /** @param show told why the job waits, or that it does not; often told the same */
  constructor(recordId: string, show: (waiting: Waiting | undefined) => void) {
    this.#recordId = recordId;
    this.#show = show;
    setHandler(permitGrantedSignal, ({ turnId, limiterId }) => {
      const wait = this.#waits.get(turnId);
      if (wait !== undefined) wait.isGranted = true;
      // A repeated request that overtook the release of its permit.
      else if (!this.#held.has(turnId)) this.release({ ...this.#requestOf(turnId), limiterId }, { kind: 'withdrawn' });
    });
    setHandler(pauseSignal, ({ turnId, notice }) => {
      const wait = this.#waits.get(turnId);
      if (wait === undefined) return;
      this.#endPause(wait);
      if (notice.state === 'paused') {
        const { code, reason, untilMs } = notice;
        wait.paused = { refusal: { code, message: reason }, untilMs, sinceMs: Date.now() };
      }
      this.#showWaits();
    });
  }

  /**
   * Waits for a permit.
   *
   * @param refused the permit under which the platform refused: it is released, and its place in the queue is kept
   * @throws ApplicationFailure with the platform's refusal when the job has waited in pauses for too long
   */
  async acquire(use: UpstreamUse, refused?: { readonly permit: Permit; readonly refusal: Refusal }): Promise<Permit> {
    this.#requests += 1;
    const request = this.#requestOf(`${this.#recordId}/${this.#requests}`);
    const wait: Wait = { isGranted: false };
    this.#waits.set(request.turnId, wait);
    // Not cancelled halfway: what was asked for must be withdrawn, and from a limiter that is known.
    const ask = () => CancellationScope.nonCancellable(() => localPacing.askForTurn({ use, asker: request }));
    let limiterId: string | undefined;
    try {
      if (
        refused !== undefined &&
        (await this.#end(refused.permit, { kind: 'refused', ...refused.refusal }, request))
      ) {
        limiterId = refused.permit.limiterId;
      }
      limiterId ??= (await ask()).limiterId;
      for (let waitMs = QUICK_MS; !(await this.#isGranted(wait, waitMs));) {
        if (waitMs === QUICK_MS) {
          wait.queued = { reason: 'Waiting for a turn: only so many jobs at once may use the platform.' };
          this.#showWaits();
          waitMs = FIRST_REPEAT_MS;
        } else {
          limiterId = (await ask()).limiterId;
          waitMs = Math.min(2 * waitMs, LONGEST_REPEAT_MS);
        }
      }
      this.#held.add(request.turnId);
      return { ...request, limiterId };
    } catch (error) {
      if (limiterId !== undefined) this.release({ ...request, limiterId }, { kind: 'withdrawn' });
      throw error;
    } finally {
      this.#endPause(wait);
      this.#waits.delete(request.turnId);
      this.#showWaits();
    }
  }

  /** Returns at once; {@link isIdle} tells when it has been sent. */
  release(permit: Permit, how: PermitEnd): void {
    void this.#end(permit, how);
  }

  /** Whether nothing is under way: a workflow that closes takes the signals along that it has not sent. */
  get isIdle(): boolean {
    return this.#sending === 0;
  }

  /** @returns false when the limiter does not run, and so knows no permits */
  async #end(permit: Permit, how: PermitEnd, again?: PermitRequest): Promise<boolean> {
    this.#held.delete(permit.turnId);
    this.#sending += 1;
    const message = { turnId: permit.turnId, how, ...(again === undefined ? {} : { again }) };
    try {
      const limiter = getExternalWorkflowHandle(permit.limiterId);
      await CancellationScope.nonCancellable(() => limiter.signal(releasePermitSignal, message));
      return true;
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      return false;
    } finally {
      this.#sending -= 1;
    }
  }

  async #isGranted(wait: Wait, waitMs: number): Promise<boolean> {
    const endMs = Date.now() + waitMs;
    while (!wait.isGranted) {
      const { paused } = wait;
      const nowMs = Date.now();
      const pauseEndMs = paused === undefined ? Infinity : paused.sinceMs + MAX_PAUSED_MS - this.#pausedMs;
      const isTooLong = nowMs >= pauseEndMs || workflowInfo().historyLength >= MAX_EVENTS;
      if (paused !== undefined && isTooLong) throw upstreamFailure(paused.refusal.code, paused.refusal.message);
      if (nowMs >= endMs) return false;
      await condition(() => wait.isGranted || wait.paused !== paused, Math.min(endMs, pauseEndMs) - nowMs);
    }
    return true;
  }

  #endPause(wait: Wait): void {
    if (wait.paused !== undefined) this.#pausedMs += Date.now() - wait.paused.sinceMs;
    wait.paused = undefined;
  }

  #showWaits(): void {
    const waits = [...this.#waits.values()];
    const paused = waits.map((wait) => wait.paused).find((pause) => pause !== undefined);
    const queued = waits.map((wait) => wait.queued).find((waiting) => waiting !== undefined);
    const until = (ms: number): string => new Date(ms).toISOString();
    this.#show(paused === undefined ? queued : { reason: paused.refusal.message, until: until(paused.untilMs) });
  }

  #requestOf(turnId: string): PermitRequest {
    const { workflowId, runId } = workflowInfo();
    return { turnId, workflowId, runId };
  }
}
