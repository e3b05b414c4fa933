import type { ReadySnapshot, SnapshotOrder } from '../activities/imgnet-snapshots.ts';
import { fetchActivities } from './activities.ts';
import { upstreamFailure } from './outcome.ts';
import type { UseUpstream } from './use-upstream.ts';

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
  const kept = await useUpstream('imgnet-dataset', async (place) => {
    const ready = await fetchActivities(place, `Collect ${title}`).collectSnapshot(order);
    return ready === null ? undefined : { result: await keep(ready) };
  });
  if (kept !== undefined) return kept.result;
  throw upstreamFailure('upstream_timeout', 'The dataset API was still collecting after an hour.');
}
