import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancelledFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  ParentClosePolicy,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { OwnerOfPost } from '../../activities/owner-profile-activities.ts';
import { MEMO_JOB } from '../../contract/job-input.ts';
import { searchAttributesOf } from '../../runtime/temporal/visibility.ts';
import { pollActivities, records } from '../activity-proxies.ts';
import { whileWaiting } from '../lifecycle/while-waiting.ts';
import { imgnetProfile } from './imgnet-profile.ts';

const { planOwnerProfile, hasFetchedProfile } = records;
const { awaitOwnerProfile } = pollActivities("Wait for the owner's profile, which another job fetches");

/**
 * Fetches the profile of a post's owner unless a fresh one exists; if another job fetches it, waits for that job. A failure does
 * not fail the post.
 *
 * @returns whether this job is charged for the profile
 */
export async function fetchOwnerProfile(owner: OwnerOfPost): Promise<boolean> {
  const job = await planOwnerProfile(owner);
  if (job === undefined) return false;
  const reason = "The owner's profile is being fetched.";
  const mayHaveFetched = await whileWaiting({ reason }, reason, async () => {
    try {
      // The job starts as the api would start it, so that callers who request the profile join it.
      await executeChild(imgnetProfile, {
        workflowId: job.subjectId,
        args: [job],
        // These callers need the profile even if this job ends early.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        memo: { [MEMO_JOB]: job },
        typedSearchAttributes: searchAttributesOf(job),
        staticSummary: `${job.type} of ${job.mediaId}`,
        staticDetails: `Download ${job.recordId}`,
      });
      return true;
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        await waitForOther(job.subjectId);
        return false;
      }
      if (!(error instanceof ChildWorkflowFailure)) throw error;
      // A job that was cancelled or terminated may have called the provider before.
      return error.cause instanceof CancelledFailure || error.cause instanceof TerminatedFailure;
    }
  });
  // Another job may have fetched the profile just before, so that this one had nothing to do.
  return mayHaveFetched && hasFetchedProfile(job.recordId);
}

async function waitForOther(subjectId: string): Promise<void> {
  try {
    await awaitOwnerProfile(subjectId);
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !(error instanceof ActivityFailure)) throw error;
    // The wait has timed out. The post is complete, and the profile is the other job's work.
  }
}
