import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import type { Config } from '../config.ts';
import { defined, optional } from '../runtime/optional.ts';
import { retentionScheduleId, taskQueues } from '../runtime/temporal/task-queues.ts';
import type { retention } from '../workflows/retention.ts';

type RetentionSchedule = ScheduleOptions & { readonly action: { readonly args: Parameters<typeof retention> } };

/** Returns for how many days this configuration keeps files and documents. */
export function retentionOf(config: Config) {
  return {
    taskQueue: config.TASK_QUEUE,
    retentionDays: config.RETENTION_DAYS,
    keepDays: defined({
      contents: config.CONTENTS_KEEP_DAYS,
      deliveries: config.DELIVERIES_KEEP_DAYS,
      snapshots: config.SNAPSHOTS_KEEP_DAYS,
      failed: config.FAILED_KEEP_DAYS,
      batches: config.BATCHES_KEEP_DAYS,
    }),
  };
}

/** Every worker arranges the schedule at its start, so the newest one decides. If everything is kept forever, there is none. */
export async function arrangeRetention(
  client: Client,
  { taskQueue, retentionDays, keepDays }: ReturnType<typeof retentionOf>,
): Promise<void> {
  const scheduleId = retentionScheduleId(taskQueue);
  const handle = client.schedule.getHandle(scheduleId);
  const keep = Object.keys(keepDays).length === 0 ? undefined : keepDays;
  if (retentionDays === undefined && keep === undefined) {
    await handle.delete().catch(unlessGone);
    return;
  }
  const schedule = {
    spec: { intervals: [{ every: '6 hours' }], jitter: '10 minutes' },
    action: {
      type: 'startWorkflow',
      workflowType: 'retention',
      workflowId: scheduleId,
      taskQueue: taskQueues.workflows(taskQueue),
      args: [{ ...optional('retentionDays', retentionDays), ...optional('keepDays', keep) }],
      staticSummary: 'Removes what is too old',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
  } as const satisfies Omit<RetentionSchedule, 'scheduleId'>;
  try {
    await client.schedule.create({ ...schedule, scheduleId });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Changes by operators, such as a pause or a note, remain.
    await handle.update(({ state }) => ({ ...schedule, state })).catch(unlessGone);
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}
