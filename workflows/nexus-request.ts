import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { NexusRequest } from '../activities/nexus-request-activities.ts';
import type { DownloadResult } from '../contract/kinds/kinds.ts';
import { awaitingActivities, records } from './activity-proxies.ts';

/**
 * Requests a job for a workflow of another namespace, by Nexus.
 *
 * @returns the record of the job after its end, also if it has failed
 */
export async function nexusRequest(request: NexusRequest): Promise<DownloadResult> {
  // A cancellation must not arrive between the start of the job and the answer.
  const id = await CancellationScope.nonCancellable(() => records.acceptNexusRequest(request));
  try {
    return await awaitingActivities(`Wait for the job of download ${id}`).awaitNexusRecord(id);
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => records.cancelNexusJob(request.recordId));
    throw error;
  }
}
