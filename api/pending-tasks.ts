import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isWithin } from '../contract/within.ts';
import { QUEUED, routeIn, type Waiting } from '../runtime/pacing.ts';
import type { PauseView } from '../runtime/pause-view.ts';

/** PENDING_ACTIVITY_STATE_SCHEDULED of the Temporal API. */
const SCHEDULED = 1;
/** Shorter waits are not told. */
const QUICK_MS = 10_000;

type Running = WorkflowExecutionDescription['raw'];

/** Whether a workflow has something to take up after its beginning, such as the end of an activity. */
export function isLaterTask({ pendingWorkflowTask, workflowExecutionInfo }: Running): boolean {
  // The server notes such a point when a worker has done a workflow's first task.
  return Boolean(pendingWorkflowTask) && (workflowExecutionInfo?.autoResetPoints?.points?.length ?? 0) > 0;
}

type PendingActivities = NonNullable<Running['pendingActivities']>;

/** Whether an activity that uses a platform waits for its turn. */
export function isQueued({ activityId, state }: PendingActivities[number]): boolean {
  return Number(state) === SCHEDULED && routeIn(activityId ?? '') !== undefined;
}

/** Why an activity waits for its turn, if one does. */
export async function waitingOf(pending: PendingActivities, pauseOf: PauseView): Promise<Waiting | undefined> {
  for (const activity of pending) {
    const route = routeIn(activity.activityId ?? '');
    if (route === undefined || !isQueued(activity)) continue;
    const pause = await pauseOf(route);
    if (pause !== undefined) return { reason: pause.reason, until: new Date(pause.untilMs).toISOString() };
    if (!isWithin(msOf(activity.scheduledTime), QUICK_MS, Date.now())) return { reason: QUEUED };
  }
  return undefined;
}

function msOf(time: PendingActivities[number]['scheduledTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}
