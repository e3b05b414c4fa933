import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import { subscriptionScheduleIdOf } from '../contract/subscriptions/subscription-state.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';
import type { checkSubscription } from '../workflows/subscriptions/check-subscription.ts';
import { unavailable } from './job-gateway.ts';

const RPC_DEADLINE_MS = 5_000;

export type SubscriptionSchedules = ReturnType<typeof createSubscriptionSchedules>;

type CheckSchedule = ScheduleOptions & { readonly action: { readonly args: Parameters<typeof checkSubscription> } };

interface Timing {
  readonly id: string;
  readonly everyMinutes: number;
  readonly url: string;
}

/** Subscriptions as Temporal schedules, whose actions are checks. */
export function createSubscriptionSchedules(client: Client, taskQueue: string) {
  const handleOf = (id: string) => client.schedule.getHandle(subscriptionScheduleIdOf(id));
  const call = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, work);
    } catch (error) {
      throw unavailable(error);
    }
  };
  const scheduleOf = ({ id, everyMinutes, url }: Timing) =>
    ({
      spec: { intervals: [{ every: `${String(everyMinutes)} minutes` }], jitter: everyMinutes * 6_000 },
      action: {
        type: 'startWorkflow',
        workflowType: 'checkSubscription',
        workflowId: `check/${id}`,
        taskQueue: taskQueues.workflows(taskQueue),
        args: [{ subscriptionId: id }],
        staticSummary: `Check ${url}`,
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
    }) as const satisfies Omit<CheckSchedule, 'scheduleId'>;
  return {
    /** Creates the schedule of a subscription, or changes it, and starts a check. */
    put: (timing: Timing, { isPaused }: { readonly isPaused: boolean }): Promise<void> =>
      call(async () => {
        const schedule = scheduleOf(timing);
        const scheduleId = subscriptionScheduleIdOf(timing.id);
        try {
          await client.schedule.create({
            ...schedule,
            scheduleId,
            state: { paused: isPaused, triggerImmediately: !isPaused },
          });
        } catch (error) {
          if (!(error instanceof ScheduleAlreadyRunning)) throw error;
          await handleOf(timing.id).update(({ state }) => ({ ...schedule, state: { ...state, paused: isPaused } }));
          // A check that runs may have read its source already.
          if (!isPaused) await handleOf(timing.id).trigger(ScheduleOverlapPolicy.BUFFER_ONE);
        }
      }),
    pause: (id: string, note: string): Promise<void> => call(() => handleOf(id).pause(note).catch(unlessGone)),
    remove: (id: string): Promise<void> => call(() => handleOf(id).delete().catch(unlessGone)),
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error;
}
