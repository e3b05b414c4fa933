import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import { retentionScheduleId, taskQueues } from '../runtime/task-queues.ts';
import type { retention } from '../workflows/retention.ts';

type RetentionSchedule = ScheduleOptions & { readonly action: { readonly args: Parameters<typeof retention> } };

/**
 * Makes the schedule what the configuration says. Every worker does that at its start: the newest one's word counts.
 *
 * @param retentionDays without it, files are kept for ever and there is no schedule
 */
export async function arrangeRetention(
  client: Client,
  { taskQueue, retentionDays }: { readonly taskQueue: string; readonly retentionDays: number | undefined },
): Promise<void> {
  const scheduleId = retentionScheduleId(taskQueue);
  const handle = client.schedule.getHandle(scheduleId);
  if (retentionDays === undefined) {
    await handle.delete().catch(unlessGone);
    return;
  }
  const schedule = scheduleFor(taskQueue, retentionDays);
  try {
    await client.schedule.create({ ...schedule, scheduleId });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // What operators set at it (a pause, a note) stays.
    await handle.update(({ state }) => ({ ...schedule, state })).catch(unlessGone);
  }
}

function scheduleFor(taskQueue: string, retentionDays: number) {
  return {
    spec: { intervals: [{ every: '6 hours' }], jitter: '10 minutes' },
    action: {
      type: 'startWorkflow',
      workflowType: 'retention',
      workflowId: retentionScheduleId(taskQueue),
      taskQueue: taskQueues.workflows(taskQueue),
      args: [{ retentionDays }],
      staticSummary: 'Removes files that are too old',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
  } as const satisfies Omit<RetentionSchedule, 'scheduleId'>;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}
