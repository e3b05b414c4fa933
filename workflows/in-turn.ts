import { setCurrentDetails, sleep } from '@temporalio/workflow';
import type { UpstreamUse, Waiting } from '../runtime/pacing.ts';
import type { Refusal } from './limiter/pauses.ts';
import type { TurnEnd } from './limiter/turns.ts';
import { createSpacePatience } from './space-patience.ts';
import { failureOf, faultOf, refusalOf } from './outcome.ts';
import type { Turn, TurnTaker } from './turn-taker.ts';

/** Uses an upstream when it is this job's turn, and again when it failed in passing. */
export type InTurn = <Result>(use: UpstreamUse, work: () => Promise<Result>) => Promise<Result>;

/** Waits before a subject is asked for again; a platform in trouble recovers within minutes or not at all. */
const DELAYS_SECONDS = [2, 10, 30, 60] as const;

/** Told of what happens to a use of an upstream. */
export interface UseEvents {
  readonly onWork: () => void;
  /** The upstream did not do its part. The job waits for its limiter, or backs off by itself. */
  readonly onTrouble: (message: string, stage: 'waiting' | 'backing-off') => void;
  /** The service itself has no space; told again without a reason when it goes on. */
  readonly onShortage: (waiting: Waiting | undefined) => void;
}

/**
 * Three kinds of trouble, told apart by the activity. Our own disk is full: the job gives its turn back, waits for space and
 * begins anew. The platform refuses the route: the limiter makes all jobs wait, no attempt is
 * used up. Anything else of the upstream (a 500, a body cut short) concerns this subject: the job waits and tries a few times.
 */
export function createInTurn(turns: TurnTaker, events: UseEvents): InTurn {
  const patiently = createSpacePatience(events.onShortage);
  return (use, work) => patiently(() => useInTurn(use, work));

  async function useInTurn<Result>(use: UpstreamUse, work: () => Promise<Result>): Promise<Result> {
    let refused: { turn: Turn; refusal: Refusal } | undefined;
    for (let faults = 0; ;) {
      const turn: Turn = await turns.take(use, refused);
      refused = undefined;
      events.onWork();
      try {
        const result = await work();
        turns.giveBack(turn, { kind: 'answered' });
        return result;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) {
          refused = { turn, refusal };
          events.onTrouble(refusal.message, 'waiting');
          continue;
        }
        turns.giveBack(turn, endOf(error));
        const seconds = DELAYS_SECONDS[faults];
        if (faultOf(error) !== 'upstream' || seconds === undefined) throw error;
        faults += 1;
        const { message } = failureOf(error);
        events.onTrouble(message, 'backing-off');
        const summary = `upstream back-off ${String(faults)} of ${String(DELAYS_SECONDS.length)}: ${message}`;
        setCurrentDetails(`Waiting ${String(seconds)} s. ${message}`);
        await sleep(seconds * 1000, { summary });
        setCurrentDetails('');
      }
    }
  }
}

/** A private video shows that the platform answers; a worker without disk space, or a cancellation, shows nothing. */
function endOf(error: unknown): TurnEnd {
  const fault = faultOf(error);
  return { kind: fault === 'subject' || fault === 'upstream' ? 'answered' : 'withdrawn' };
}
