import type { WorkflowExecutionDescription } from '@temporalio/client';
import { QUEUED, routeIn, type Waiting } from '../runtime/pacing.ts';
import type { PauseView } from '../runtime/pause-view.ts';

/** PENDING_ACTIVITY_STATE_SCHEDULED of the Temporal API. */
const SCHEDULED = 1;
/** A workflow's first task is scheduled together with it. */
const FIRST_TASK_WITHIN_MS = 50;
/** Shorter waits are not told. */
const QUICK_MS = 10_000;

type PendingTask = WorkflowExecutionDescription['raw']['pendingWorkflowTask'];

/** Whether a workflow has something to take up after its beginning, such as the end of an activity. */
export function isLaterTask(task: PendingTask, startTime: Date): boolean {
  // Tried again, it may be the first one.
  if (!task || Number(task.attempt) > 1) return false;
  return msOf(task.originalScheduledTime ?? task.scheduledTime) > startTime.getTime() + FIRST_TASK_WITHIN_MS;
}

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;

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
    if (Date.now() - msOf(activity.scheduledTime) >= QUICK_MS) return { reason: QUEUED };
  }
  return undefined;
}

function msOf(time: PendingActivities[number]['scheduledTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}
