import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Limiters } from '../activities/permits.ts';
import { limiterIdOf, type PermitRequest } from '../runtime/pacing.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import type { limiter } from '../workflows/limiter/limiter.ts';
import { requestPermitSignal } from '../workflows/limiter/messages.ts';
import { pauseSignal } from '../workflows/messages.ts';

/** A call that hangs must not use up the whole time of its activity. */
const RPC_DEADLINE_MS = 10_000;

/** @returns undefined when there is no such workflow */
async function ask<Result>(client: Client, call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** @returns a function that tells whether a workflow with an ID is open, or a certain run of it */
export function createOpenWorkflows(client: Client) {
  return async (workflowId: string, runId?: string): Promise<boolean> => {
    const found = await ask(client, () => client.workflow.getHandle(workflowId, runId).describe());
    return found?.status.name === 'RUNNING';
  };
}

/** The limiters of one service, on its own task queue. */
export function createLimiters(client: Client, taskQueue: string): Limiters {
  const isOpen = createOpenWorkflows(client);
  return {
    async request({ route, ...limits }, request) {
      const workflowId = limiterIdOf(taskQueue, route);
      await ask(client, () =>
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
      const job = client.workflow.getHandle(workflowId, runId);
      const isThere = await ask(client, () => job.signal(pauseSignal, { turnId, notice }).then(() => true));
      return isThere ?? false;
    },

    isOpen: ({ workflowId, runId }) => isOpen(workflowId, runId),
  };
}
