import type { Client } from '@temporalio/client';
import { routesOfRoles, type Routes } from '../pacing/routes.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';
import { workerRoles } from '../runtime/temporal/worker-roles.ts';

type Question = Parameters<Client['workflowService']['describeTaskQueue']>[0];
type TaskQueueType = NonNullable<Question['taskQueueType']>;

const DEADLINE_MS = 2_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY of the Temporal API. */
const TYPES = [1, 2] as unknown as readonly [TaskQueueType, TaskQueueType];

export interface Backlog {
  readonly queue: string;
  /** Workflow tasks and activity tasks together. */
  readonly tasks: number;
  /** The time that the oldest task has waited; 0 if none waits. */
  readonly oldestSeconds: number;
}

/** Asks Temporal how much waits in each queue, whichever worker it waits for. @throws when Temporal gives no answer */
export async function readBacklogs(
  client: Client,
  { namespace, queues }: { readonly namespace: string; readonly queues: readonly string[] },
): Promise<readonly Backlog[]> {
  return Promise.all(
    queues.map(async (queue) => {
      const question = { namespace, taskQueue: { name: queue }, reportStats: true };
      const found = await Promise.all(TYPES.map((taskQueueType) => describe(client, { ...question, taskQueueType })));
      const tasks = found.map(({ stats }) => Number(stats?.approximateBacklogCount ?? 0));
      const ages = found.map(({ stats }) => Number(stats?.approximateBacklogAge?.seconds ?? 0));
      return { queue, tasks: tasks.reduce((sum, one) => sum + one), oldestSeconds: Math.max(...ages) };
    }),
  );
}

function describe(client: Client, question: Question) {
  const deadline = Date.now() + DEADLINE_MS;
  return client.connection.withDeadline(deadline, () => client.workflowService.describeTaskQueue(question));
}

/** @returns a function that counts the workers which have polled a queue for activities lately */
export function createPollerCount(client: Client, namespace: string) {
  return async (queue: string): Promise<number> => {
    const { pollers } = await describe(client, { namespace, taskQueue: { name: queue }, taskQueueType: TYPES[1] });
    return new Set(pollers.map(({ identity }) => identity)).size;
  };
}

/** The queues that the workers of a service poll together, without those of single speech engines. */
export function queuesOfService(prefix: string, routes: Routes): readonly string[] {
  const ofRoutes = routesOfRoles(routes, workerRoles).map(({ route }) => taskQueues.route(prefix, route));
  const others = (['workflows', 'fetch', 'sites', 'speechSteps', 'webhooks'] as const).map((queue) =>
    taskQueues[queue](prefix),
  );
  return [...ofRoutes, ...others];
}
