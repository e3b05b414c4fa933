import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { ReadySnapshot, SnapshotOrder } from '../../activities/imgnet-snapshots.ts';
import { failureFor } from '../../contract/failures.ts';
import { SNAPSHOT_LOST } from '../../runtime/failure-types.ts';
import type { UseUpstream } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';

/** Each collection costs money. */
const MAX_COLLECTIONS = 3;

/**
 * Collects data of the photo platform: starts a snapshot, waits until it can be read, and stores it. Another snapshot is started
 * only if the provider has lost the first one.
 *
 * @param order its title is a phrase such as `the profile of example`
 * @param store stores the snapshot by one of the activities
 */
export async function collect<Result>(
  useUpstream: UseUpstream,
  { title, ...order }: SnapshotOrder & { readonly title: string },
  store: (activities: ReturnType<UseUpstream>, snapshot: ReadySnapshot) => Promise<Result>,
): Promise<Result> {
  for (let collections = 1; ; collections += 1) {
    const snapshot = await useUpstream('imgnet-dataset', `Collect ${title}`).collectSnapshot(order);
    if (snapshot === null) throw upstreamFailure(failureFor('datasetCollecting'));
    try {
      return await store(useUpstream('imgnet-dataset', `Keep ${title}`, 'unpaced'), snapshot);
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      const isLost = cause instanceof ApplicationFailure && cause.type === SNAPSHOT_LOST;
      if (!isLost || collections === MAX_COLLECTIONS) throw error;
    }
  }
}
