import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isWithin } from '../contract/within.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { QUEUED, routeIn } from '../pacing/routes.ts';
import type { Waiting } from './job-progress.ts';

/** PENDING_ACTIVITY_STATE_SCHEDULED of the Temporal API. */
const SCHEDULED = 1;
/** A wait for a slot that is shorter than this is not shown. */
const QUICK_MS = 10_000;

type Running = WorkflowExecutionDescription['raw'];

/** Whether a workflow task is pending that is not the first one, such as after the end of an activity. */
export function isLaterTask({ pendingWorkflowTask, workflowExecutionInfo }: Running): boolean {
  // The server adds a reset point when a worker has completed the first workflow task.
  return Boolean(pendingWorkflowTask) && (workflowExecutionInfo?.autoResetPoints?.points?.length ?? 0) > 0;
}

type PendingActivities = NonNullable<Running['pendingActivities']>;
type PendingActivity = PendingActivities[number];

export function isWaiting({ activityId, state, lastFailure }: PendingActivity): boolean {
  return Number(state) === SCHEDULED && (routeIn(activityId ?? '') !== undefined || Boolean(lastFailure));
}

export async function waitingOf(
  client: Client,
  pending: PendingActivities,
  breakers: Breakers,
): Promise<Waiting | undefined> {
  for (const activity of pending.filter(isWaiting)) {
    const route = routeIn(activity.activityId ?? '');
    const found = route === undefined ? undefined : await breakers.of(route).open();
    if (found !== undefined) return { reason: found.open.reason, until: isoOf(Date.now() + found.waitMs) };
    const nextMs = msOf(activity.nextAttemptScheduleTime);
    if (nextMs > Date.now()) {
      const { loadedDataConverter } = client.options;
      const failure = await decodeOptionalFailureToOptionalError(loadedDataConverter, activity.lastFailure);
      if (failure !== undefined) return { reason: failure.message, until: isoOf(nextMs) };
    }
    const isLong = !isWithin(msOf(activity.scheduledTime), QUICK_MS, Date.now());
    if (route !== undefined && isLong) return { reason: QUEUED };
  }
  return undefined;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function msOf(time: PendingActivity['scheduledTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}
