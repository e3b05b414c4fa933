import { setCurrentDetails, sleep } from '@temporalio/workflow';
import type { UpstreamUse, Waiting } from '../runtime/pacing.ts';
import type { Refusal } from './limiter/pauses.ts';
import type { PermitEnd } from './limiter/permits.ts';
import { createRetryWhenDiskFull } from './retry-when-disk-full.ts';
import { failureOf, faultOf, refusalOf } from './outcome.ts';
import type { Permit, PermitClient } from './permit-client.ts';

/** Uses an upstream when its limiter permits it, and again when it failed in passing. */
export type WithPermit = <Result>(use: UpstreamUse, work: () => Promise<Result>) => Promise<Result>;

/** Waits before a subject is asked for again; a platform that fails recovers within minutes or not at all. */
const DELAYS_SECONDS = [2, 10, 30, 60] as const;

/** Told of what happens to a use of an upstream. */
export interface UseEvents {
  readonly onWork: () => void;
  /** The upstream did not do its part. The job waits for its limiter, or backs off by itself. */
  readonly onUpstreamFailure: (message: string, stage: 'waiting' | 'backing-off') => void;
  /** The service itself has no space; told again without a reason when it goes on. */
  readonly onShortage: (waiting: Waiting | undefined) => void;
}

/**
 * Three kinds of failure, told apart by the activity. Our own disk is full: the job releases its permit, waits for space and
 * begins anew. The platform refuses the route: the limiter makes all jobs wait, no attempt is
 * used up. Anything else of the upstream (a 500, a body cut short) concerns this subject: the job waits and tries a few times.
 */
export function createWithPermit(permits: PermitClient, events: UseEvents): WithPermit {
  const retryWhenDiskFull = createRetryWhenDiskFull(events.onShortage);
  return (use, work) => retryWhenDiskFull(() => useWithPermit(use, work));

  async function useWithPermit<Result>(use: UpstreamUse, work: () => Promise<Result>): Promise<Result> {
    let refused: { permit: Permit; refusal: Refusal } | undefined;
    for (let faults = 0; ;) {
      const permit: Permit = await permits.acquire(use, refused);
      refused = undefined;
      events.onWork();
      try {
        const result = await work();
        permits.release(permit, { kind: 'answered' });
        return result;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) {
          refused = { permit, refusal };
          events.onUpstreamFailure(refusal.message, 'waiting');
          continue;
        }
        permits.release(permit, endOf(error));
        const seconds = DELAYS_SECONDS[faults];
        if (faultOf(error) !== 'upstream' || seconds === undefined) throw error;
        faults += 1;
        const { message } = failureOf(error);
        events.onUpstreamFailure(message, 'backing-off');
        const summary = `upstream back-off ${faults} of ${DELAYS_SECONDS.length}: ${message}`;
        setCurrentDetails(`Waiting ${seconds} s. ${message}`);
        await sleep(seconds * 1000, { summary });
        setCurrentDetails('');
      }
    }
  }
}

/** A private video shows that the platform answers; a worker without disk space, or a cancellation, shows nothing. */
function endOf(error: unknown): PermitEnd {
  const fault = faultOf(error);
  return { kind: fault === 'subject' || fault === 'upstream' ? 'answered' : 'withdrawn' };
}
