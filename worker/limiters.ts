import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Limiters } from '../activities/permits.ts';
import { limiterIdOf, type PermitRequest } from '../runtime/pacing.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import type { limiter } from '../workflows/limiter/limiter.ts';
import { requestPermitSignal } from '../workflows/limiter/messages.ts';
import { pauseSignal } from '../workflows/messages.ts';
import { createOpenWorkflows } from './open-workflows.ts';

/** A call that hangs must not use up the whole time of its activity. */
const RPC_DEADLINE_MS = 10_000;

/** The limiters of one service, on its own task queue. */
export function createLimiters(client: Client, taskQueue: string): Limiters {
  const within = <Result>(call: () => Promise<Result>): Promise<Result> =>
    client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call);
  const isOpen = createOpenWorkflows(client);
  return {
    async request({ route, ...limits }, request) {
      const workflowId = limiterIdOf(taskQueue, route);
      await within(() =>
        client.workflow.signalWithStart<typeof limiter, [{ asker: PermitRequest; limits: typeof limits }]>('limiter', {
          workflowId,
          taskQueue: taskQueues.workflows(taskQueue),
          args: [{ limits }],
          signal: requestPermitSignal,
          signalArgs: [{ asker: request, limits }],
          staticSummary: `Limiter of ${route}`,
        }),
      );
      return workflowId;
    },

    async notify({ turnId, workflowId, runId }, notice) {
      try {
        await within(() => client.workflow.getHandle(workflowId, runId).signal(pauseSignal, { turnId, notice }));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },

    isOpen: ({ workflowId, runId }) => isOpen(workflowId, runId),
  };
}
