import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { ReadySnapshot, SnapshotOrder } from '../activities/imgnet-snapshots.ts';
import { fetchActivities, pollActivities } from './activities.ts';
import { upstreamFailure } from './outcome.ts';
import { BESIDE } from './place.ts';
import type { UseUpstream } from './use-upstream.ts';

/** Lists take up to an hour. */
const MAX_WAIT = '65 minutes';

/**
 * Collects data of the photo platform: starts a snapshot, waits until it can be read, and hands it to `keep`. Whatever
 * fails in passing is repeated with the same snapshot; only when that failed itself is another one started.
 *
 * @param title such as `the profile of example`
 * @param keep reads it in an activity
 */
export async function collect<Result>(
  useUpstream: UseUpstream,
  { title, ...order }: SnapshotOrder & { readonly title: string },
  keep: (snapshot: ReadySnapshot) => Promise<Result>,
): Promise<Result> {
  const { awaitSnapshot } = pollActivities('fetch', `Wait for ${title}`, MAX_WAIT);
  const kept = await useUpstream('imgnet-dataset', async (place) => {
    let ready;
    try {
      if (place !== BESIDE) {
        ready = await fetchActivities(place, `Collect ${title}`).collectSnapshot(order);
        if (ready === null) return undefined;
      } else {
        const { triggerSnapshot } = fetchActivities(place, `Start collecting ${title}`);
        ready = await awaitSnapshot(await triggerSnapshot(order));
      }
    } catch (error) {
      if (isOutOfTime(error)) return undefined;
      throw error;
    }
    return { result: await keep(ready) };
  });
  if (kept !== undefined) return kept.result;
  throw upstreamFailure('upstream_timeout', 'The dataset API was still collecting after an hour.');
}

/** Temporal reports the last answer when there is no time for another question. */
function isOutOfTime(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  if (error.cause instanceof TimeoutFailure) return error.cause.timeoutType === 'SCHEDULE_TO_CLOSE';
  return error.retryState === 'TIMEOUT';
}
