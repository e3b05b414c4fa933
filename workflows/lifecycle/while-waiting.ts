import { CancellationScope, setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_WAITING } from '../../contract/job-input.ts';
import { awaitingActivities, records } from '../activity-proxies.ts';

interface Job {
  readonly subjectId: string;
  readonly recordId: string;
}

/** Shows in the memo, which the API reads, and in the Web UI why a job waits, and until when or for which other job. */
export async function whileWaiting<Result>(
  wait: { readonly reason: string; readonly until?: string; readonly job?: Job },
  details: string,
  work: () => Promise<Result>,
): Promise<Result> {
  upsertMemo({ [MEMO_WAITING]: wait });
  setCurrentDetails(details);
  try {
    return await work();
  } finally {
    upsertMemo({ [MEMO_WAITING]: undefined });
    setCurrentDetails('');
  }
}

/**
 * Waits for the job of another record, whose stages the API shows as those of this job. If this job is cancelled, it cancels the
 * other one if it has started that, unless others wait for it.
 */
export function whileJobRuns<Result>(
  { reason, isOwn, ...job }: Job & { readonly reason: string; readonly isOwn: boolean },
  poll: (activities: ReturnType<typeof awaitingActivities>) => Promise<Result>,
): Promise<Result> {
  return whileWaiting({ reason, job }, `${reason} Its job is ${job.subjectId}.`, async () => {
    try {
      return await poll(awaitingActivities(`Wait for the job ${job.subjectId}`));
    } catch (error) {
      if (isOwn && CancellationScope.current().consideredCancelled) {
        await CancellationScope.nonCancellable(() => records.leaveAudio(job.recordId));
      }
      throw error;
    }
  });
}
