import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  Worker,
  type NativeConnection,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { createActivities } from '../activities/create-activities.ts';
import { taskQueues } from '../contract/task-queues.ts';

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: ReturnType<typeof createActivities>;
  readonly maxFetches: number;
  readonly maxDeliveries: number;
  readonly shutdownGraceMs: number;
}

export interface Workers {
  /** Resolves when all have stopped, rejects when one of them failed. */
  run(): Promise<void>;
  /** Takes no new tasks; running ones get the grace time, then they are cancelled and repeated elsewhere. */
  shutdown(): void;
}

/** Compiles the workflows into the bundle that workers run and that replay tests check. */
export function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    logger: { ...silent, error: (message) => process.stderr.write(`${message}\n`) },
  });
}

/** One worker per task queue, in one process. */
export async function createWorkers(options: WorkersOptions): Promise<Workers> {
  const { activities, taskQueue } = options;
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    shutdownGraceTime: options.shutdownGraceMs,
    // An activity that ignores its cancellation must not keep the process alive.
    shutdownForceTime: options.shutdownGraceMs + 3_000,
    // A cancellation reaches a download with the next heartbeat that is sent.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
  } as const;
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: taskQueues.workflows(taskQueue),
      workflowBundle: options.bundle,
      activities: activities.records,
    }),
    Worker.create({
      ...shared,
      taskQueue: taskQueues.fetch(taskQueue),
      activities: activities.fetch,
      maxConcurrentActivityTaskExecutions: options.maxFetches,
    }),
    Worker.create({
      ...shared,
      taskQueue: taskQueues.webhooks(taskQueue),
      activities: activities.deliver,
      maxConcurrentActivityTaskExecutions: options.maxDeliveries,
    }),
  ]);
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    shutdown,
    async run() {
      // One that fails takes the others along: half a worker would accept work that nobody does.
      const runs = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.all(runs);
    },
  };
}

const silent = {
  log: (): void => undefined,
  trace: (): void => undefined,
  debug: (): void => undefined,
  info: (): void => undefined,
  warn: (): void => undefined,
};
