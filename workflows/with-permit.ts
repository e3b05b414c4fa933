import { setCurrentDetails, sleep } from '@temporalio/workflow';
import type { UpstreamUse } from '../runtime/pacing.ts';
import type { Refusal } from '../runtime/pauses.ts';
import type { PermitEnd } from './messages.ts';
import { createRetryWhenDiskFull } from './retry-when-disk-full.ts';
import { failureOf, faultOf, refusalOf } from './outcome.ts';
import type { Permit, PermitClient } from './permit-client.ts';
import { BESIDE, type Place } from './place.ts';
import { UPSTREAM_DELAYS_SECONDS, type UseEvents, type UseUpstream } from './use-upstream.ts';

/**
 * Uses of upstreams by a job of version 4da8403, which asks for a turn before each.
 *
 * Three kinds of failure, told apart by the activity. Our own disk is full: the job releases its permit, waits for space and
 * begins anew. The platform refuses the route: the job asks for a turn again, no attempt is used up. Anything else of the upstream
 * (a 500, a body cut short) concerns this subject: the job waits and tries a few times.
 */
export function createWithPermit(permits: PermitClient, events: UseEvents): UseUpstream {
  const retryWhenDiskFull = createRetryWhenDiskFull(events.onShortage);
  return (use, work) => retryWhenDiskFull(() => useWithPermit(use, work));

  async function useWithPermit<Result>(use: UpstreamUse, work: (place: Place) => Promise<Result>): Promise<Result> {
    let refused: { permit: Permit; refusal: Refusal } | undefined;
    for (let faults = 0; ;) {
      const permit: Permit = await permits.acquire(use, refused);
      refused = undefined;
      events.onWork();
      try {
        const result = await work(BESIDE);
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
        const seconds = UPSTREAM_DELAYS_SECONDS[faults];
        if (faultOf(error) !== 'upstream' || seconds === undefined) throw error;
        faults += 1;
        const { message } = failureOf(error);
        events.onUpstreamFailure(message, 'backing-off');
        const summary = `upstream back-off ${faults} of ${UPSTREAM_DELAYS_SECONDS.length}: ${message}`;
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
