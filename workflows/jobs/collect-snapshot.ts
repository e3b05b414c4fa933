import { failureFor } from '../../contract/failures.ts';
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { SNAPSHOT_LOST } from '../../runtime/failure-types.ts';
import type { ReadySnapshot, SnapshotOrder } from '../../activities/imgnet-snapshots.ts';
import type { UseUpstream } from '../lifecycle/run-job.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';

/** Each collection costs money. */
const MAX_COLLECTIONS = 3;

/**
 * Collects data of the photo platform: starts a snapshot, waits until it can be read, and hands it to `keep`. Another one is
 * started only when the provider no longer has what it collected.
 *
 * @param title such as `the profile of example`
 * @param keep reads it in an activity
 */
export async function collect<Result>(
  useUpstream: UseUpstream,
  { title, ...order }: SnapshotOrder & { readonly title: string },
  keep: (snapshot: ReadySnapshot) => Promise<Result>,
): Promise<Result> {
  for (let collections = 1; ; collections += 1) {
    const ready = await useUpstream('imgnet-dataset', `Collect ${title}`).collectSnapshot(order);
    if (ready === null) throw upstreamFailure(failureFor('datasetCollecting'));
    try {
      return await keep(ready);
    } catch (error) {
      if (!isLost(error) || collections === MAX_COLLECTIONS) throw error;
    }
  }
}

function isLost(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === SNAPSHOT_LOST;
}
