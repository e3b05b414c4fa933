import {
  ApplicationFailure,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { MAX_PARKED_MS, type Asker, type UpstreamUse, type Waiting } from '../runtime/pacing.ts';
import { pacing } from './activities.ts';
import { endTurnSignal } from './limiter/messages.ts';
import type { Refusal } from './limiter/pauses.ts';
import type { TurnEnd } from './limiter/turns.ts';
import { pauseSignal, turnGrantedSignal } from './messages.ts';

/** A turn that was granted. */
export interface Turn extends Asker {
  readonly limiterId: string;
}

interface Wait {
  isGranted: boolean;
  parked?: { readonly refusal: Refusal; readonly untilMs: number; readonly sinceMs: number } | undefined;
  /** Shown when no pause is the reason. */
  queued?: Waiting;
}

/** Shorter waits are not shown: each change of the memo is an event of the history. */
const QUICK_MS = 10_000;
/** A limiter that was terminated has forgotten who waits: they ask again, ever more rarely. */
const FIRST_PATIENCE_MS = 5 * 60_000;
const MOST_PATIENCE_MS = 60 * 60_000;

/** The server ends a workflow at 51,200 events, and tells nobody: a job whose pauses are many and short fails before that. */
const MAX_EVENTS = 40_000;

/** The job's side of the limiters: asks for turns, waits for them, gives them back. */
export class TurnTaker {
  readonly #recordId: string;
  readonly #show: (waiting: Waiting | undefined) => void;
  readonly #waits = new Map<string, Wait>();
  readonly #held = new Set<string>();
  #asks = 0;
  #parkedMs = 0;
  #sending = 0;

  /** @param show told why the job waits, or that it does not; often told the same */
  constructor(recordId: string, show: (waiting: Waiting | undefined) => void) {
    this.#recordId = recordId;
    this.#show = show;
    setHandler(turnGrantedSignal, ({ turnId, limiterId }) => {
      const wait = this.#waits.get(turnId);
      if (wait !== undefined) wait.isGranted = true;
      // A repeated ask that overtook the end of its turn.
      else if (!this.#held.has(turnId)) this.giveBack({ ...this.#asker(turnId), limiterId }, { kind: 'withdrawn' });
    });
    setHandler(pauseSignal, ({ turnId, notice }) => {
      const wait = this.#waits.get(turnId);
      if (wait === undefined) return;
      this.#unpark(wait);
      if (notice.state === 'paused') {
        const { code, reason, untilMs } = notice;
        wait.parked = { refusal: { code, message: reason }, untilMs, sinceMs: Date.now() };
      }
      this.#showWaits();
    });
  }

  /**
   * Waits for a turn.
   *
   * @param refused the turn in which the platform refused: it is given back, and its place in the queue is kept
   * @throws ApplicationFailure with the platform's refusal when the job has waited in pauses for too long
   */
  async take(use: UpstreamUse, refused?: { readonly turn: Turn; readonly refusal: Refusal }): Promise<Turn> {
    this.#asks += 1;
    const asker = this.#asker(`${this.#recordId}/${String(this.#asks)}`);
    const wait: Wait = { isGranted: false };
    this.#waits.set(asker.turnId, wait);
    // Not cancelled halfway: what was asked for must be withdrawn, and from a limiter that is known.
    const ask = () => CancellationScope.nonCancellable(() => pacing.askForTurn({ use, asker }));
    let limiterId: string | undefined;
    try {
      if (refused !== undefined && (await this.#end(refused.turn, { kind: 'refused', ...refused.refusal }, asker))) {
        limiterId = refused.turn.limiterId;
      }
      limiterId ??= (await ask()).limiterId;
      for (let patienceMs = QUICK_MS; !(await this.#isGranted(wait, patienceMs));) {
        if (patienceMs === QUICK_MS) {
          wait.queued = { reason: 'Waiting for a turn: only so many jobs at once may use the platform.' };
          this.#showWaits();
          patienceMs = FIRST_PATIENCE_MS;
        } else {
          limiterId = (await ask()).limiterId;
          patienceMs = Math.min(2 * patienceMs, MOST_PATIENCE_MS);
        }
      }
      this.#held.add(asker.turnId);
      return { ...asker, limiterId };
    } catch (error) {
      if (limiterId !== undefined) this.giveBack({ ...asker, limiterId }, { kind: 'withdrawn' });
      throw error;
    } finally {
      this.#unpark(wait);
      this.#waits.delete(asker.turnId);
      this.#showWaits();
    }
  }

  /** Returns at once; {@link isSettled} tells when it has been sent. */
  giveBack(turn: Turn, how: TurnEnd): void {
    void this.#end(turn, how);
  }

  /** Whether nothing is under way: a workflow that closes takes the signals along that it has not sent. */
  get isSettled(): boolean {
    return this.#sending === 0;
  }

  /** @returns false when the limiter does not run, and so knows no turns */
  async #end(turn: Turn, how: TurnEnd, again?: Asker): Promise<boolean> {
    this.#held.delete(turn.turnId);
    this.#sending += 1;
    const message = { turnId: turn.turnId, how, ...(again === undefined ? {} : { again }) };
    try {
      const limiter = getExternalWorkflowHandle(turn.limiterId);
      await CancellationScope.nonCancellable(() => limiter.signal(endTurnSignal, message));
      return true;
    } catch (error) {
      if (!(error instanceof TemporalFailure)) throw error;
      return false;
    } finally {
      this.#sending -= 1;
    }
  }

  async #isGranted(wait: Wait, patienceMs: number): Promise<boolean> {
    const endMs = Date.now() + patienceMs;
    while (!wait.isGranted) {
      const { parked } = wait;
      const nowMs = Date.now();
      const parkedEndMs = parked === undefined ? Infinity : parked.sinceMs + MAX_PARKED_MS - this.#parkedMs;
      const isTooLong = nowMs >= parkedEndMs || workflowInfo().historyLength >= MAX_EVENTS;
      if (parked !== undefined && isTooLong) throw failureFor(parked.refusal);
      if (nowMs >= endMs) return false;
      await condition(() => wait.isGranted || wait.parked !== parked, Math.min(endMs, parkedEndMs) - nowMs);
    }
    return true;
  }

  #unpark(wait: Wait): void {
    if (wait.parked !== undefined) this.#parkedMs += Date.now() - wait.parked.sinceMs;
    wait.parked = undefined;
  }

  #showWaits(): void {
    const waits = [...this.#waits.values()];
    const parked = waits.map((wait) => wait.parked).find((pause) => pause !== undefined);
    const queued = waits.map((wait) => wait.queued).find((waiting) => waiting !== undefined);
    const until = (ms: number): string => new Date(ms).toISOString();
    this.#show(parked === undefined ? queued : { reason: parked.refusal.message, until: until(parked.untilMs) });
  }

  #asker(turnId: string): Asker {
    const { workflowId, runId } = workflowInfo();
    return { turnId, workflowId, runId };
  }
}

function failureFor(refusal: Refusal): ApplicationFailure {
  return ApplicationFailure.create({
    message: refusal.message,
    type: 'upstream',
    nonRetryable: true,
    details: [refusal.code],
  });
}
