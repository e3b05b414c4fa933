import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { Limiters } from '../activities/turns.ts';
import { limiterIdOf, type Asker } from '../runtime/pacing.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import type { limiter } from '../workflows/limiter/limiter.ts';
import { askSignal } from '../workflows/limiter/messages.ts';
import { pauseSignal } from '../workflows/messages.ts';

/** A call that hangs must not use up the whole time of its activity. */
const RPC_DEADLINE_MS = 10_000;

/** The limiters of one service, on its own task queue. */
export function createLimiters(client: Client, taskQueue: string): Limiters {
  const within = <Result>(call: () => Promise<Result>): Promise<Result> =>
    client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call);
  const handleOf = ({ workflowId, runId }: Asker): WorkflowHandle => client.workflow.getHandle(workflowId, runId);
  return {
    async ask({ route, ...limits }, asker) {
      const workflowId = limiterIdOf(taskQueue, route);
      await within(() =>
        client.workflow.signalWithStart<typeof limiter, [{ asker: Asker; limits: typeof limits }]>('limiter', {
          workflowId,
          taskQueue: taskQueues.workflows(taskQueue),
          args: [{ limits }],
          signal: askSignal,
          signalArgs: [{ asker, limits }],
          staticSummary: `Limiter of ${route}`,
        }),
      );
      return workflowId;
    },

    async tell(asker, notice) {
      try {
        await within(() => handleOf(asker).signal(pauseSignal, { turnId: asker.turnId, notice }));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },

    async isOpen(asker) {
      try {
        return (await within(() => handleOf(asker).describe())).status.name === 'RUNNING';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}
