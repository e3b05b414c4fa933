import { status } from '@grpc/grpc-js';
import * as temporal from '@temporalio/client';
import { subscriptionScheduleIdOf, type StoredSubscription } from '../contract/subscriptions/subscription-state.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';
import type { checkSubscription } from '../workflows/subscriptions/check-subscription.ts';
import { unlessClosed } from './job-gateway.ts';

export type SubscriptionSchedules = ReturnType<typeof createSubscriptionSchedules>;

type CheckSchedule = temporal.ScheduleOptions & {
  readonly action: { readonly args: Parameters<typeof checkSubscription> };
};

/** Subscriptions as Temporal schedules, whose actions are checks. */
export function createSubscriptionSchedules(client: temporal.Client, taskQueue: string) {
  const handleOf = (id: string) => client.schedule.getHandle(subscriptionScheduleIdOf(id));
  const call = async (work: () => Promise<unknown>): Promise<void> => {
    await unlessClosed(client, work);
  };
  const scheduleOf = ({ id, everyMinutes, source }: StoredSubscription) =>
    ({
      spec: { intervals: [{ every: `${String(everyMinutes)} minutes` }], jitter: everyMinutes * 6_000 },
      action: {
        type: 'startWorkflow',
        workflowType: 'checkSubscription',
        workflowId: `check/${id}`,
        taskQueue: taskQueues.workflows(taskQueue),
        args: [{ subscriptionId: id }],
        staticSummary: `Check ${source.url}`,
      },
      policies: { overlap: temporal.ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
    }) as const satisfies Omit<CheckSchedule, 'scheduleId'>;
  return {
    /** Creates the schedule of a subscription, or changes it, and starts a check. A schedule that is removed meanwhile stays removed. */
    put: (subscription: StoredSubscription): Promise<void> =>
      call(async () => {
        const schedule = scheduleOf(subscription);
        const scheduleId = subscriptionScheduleIdOf(subscription.id);
        const isPaused = subscription.pause !== undefined;
        try {
          await client.schedule.create({
            ...schedule,
            scheduleId,
            state: { paused: isPaused, triggerImmediately: !isPaused },
          });
        } catch (error) {
          if (!(error instanceof temporal.ScheduleAlreadyRunning)) throw error;
          const handle = handleOf(subscription.id);
          await handle
            .update(({ state }) => ({ ...schedule, state: { ...state, paused: isPaused } }))
            .catch(unlessGone);
          // A check that runs may have read its source already.
          if (!isPaused) await handle.trigger(temporal.ScheduleOverlapPolicy.BUFFER_ONE).catch(unlessGone);
        }
      }),
    pause: (id: string, note: string): Promise<void> => call(() => handleOf(id).pause(note).catch(unlessGone)),
    remove: (id: string): Promise<void> => call(() => handleOf(id).delete().catch(unlessGone)),
  };
}

/** A schedule whose workflow closes during the call is answered with FAILED_PRECONDITION. */
function unlessGone(error: unknown): void {
  if (error instanceof temporal.ScheduleNotFoundError) return;
  const cause = error instanceof temporal.ServiceError ? error.cause : error;
  if (!temporal.isGrpcServiceError(cause) || cause.code !== status.FAILED_PRECONDITION) throw error;
}
