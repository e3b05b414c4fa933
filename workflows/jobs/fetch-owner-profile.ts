import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancelledFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { OwnerActivities, OwnerOfPost } from '../../activities/owner-profile-activities.ts';
import { MEMO_JOB, type JobInput } from '../../contract/job-input.ts';
import { searchAttributesOf } from '../../runtime/temporal/visibility.ts';
import { untilDone } from '../activity-proxies.ts';
import { imgnetProfile } from './imgnet-profile.ts';
import { showWaiting } from '../lifecycle/current-details.ts';

const { planOwnerProfile, hasFetchedProfile } = proxyActivities<OwnerActivities>(untilDone);
/** Each attempt asks once. Profiles take up to 15 minutes; behind a pause of the platform, hours. */
const { awaitOwnerProfile } = proxyActivities<OwnerActivities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '3 hours',
  retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds' },
  summary: "Wait for the owner's profile, which another job fetches",
});

/**
 * Sees to it that the profile of a post's owner is there, or has been tried: one that is there and fresh is left alone,
 * a job that fetches it is waited for, otherwise one is started. That the profile cannot be had does not fail the post.
 *
 * @returns whether this job is charged for the profile
 */
export async function fetchOwnerProfile(owner: OwnerOfPost): Promise<boolean> {
  const job = await planOwnerProfile(owner);
  if (job === undefined) return false;
  showWaiting("The owner's profile is being fetched.");
  try {
    await executeChild(imgnetProfile, childOptions(job));
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw error;
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      await waitForOther(job.subjectId);
      return false;
    }
    if (error instanceof ChildWorkflowFailure) return await wasStoppedTooLate(error, job.recordId);
    throw error;
  } finally {
    showWaiting(undefined);
  }
  // It may have found the work done by another one that ended just before.
  return hasFetchedProfile(job.recordId);
}

/** As the api would start it, so that callers who ask for the profile meanwhile join it. */
function childOptions(job: JobInput) {
  return {
    workflowId: job.subjectId,
    args: [job] as [JobInput],
    // Those who have joined it wait for it, whatever becomes of this job.
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    memo: { [MEMO_JOB]: job },
    typedSearchAttributes: searchAttributesOf(job),
    staticSummary: `${job.type} of ${job.mediaId}`,
    staticDetails: `Download ${job.recordId}`,
  };
}

/** Whether the profile's job was stopped when the provider had been asked already, so that this job is charged for it. */
async function wasStoppedTooLate({ cause }: ChildWorkflowFailure, recordId: string): Promise<boolean> {
  if (!(cause instanceof CancelledFailure || cause instanceof TerminatedFailure)) return false;
  return hasFetchedProfile(recordId);
}

async function waitForOther(subjectId: string): Promise<void> {
  try {
    await awaitOwnerProfile(subjectId);
  } catch (error) {
    if (CancellationScope.current().consideredCancelled || !(error instanceof ActivityFailure)) throw error;
    // Three hours are enough: the post is there, and the profile is somebody else's job.
  }
}
