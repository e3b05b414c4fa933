import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { createActivities } from '../activities/create-activities.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import { bareEnvironment } from '../runtime/subprocess/environment.ts';
import { run } from '../runtime/subprocess/run.ts';
import { checkInputs } from './check-inputs.ts';

const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const INTERCEPTORS = fileURLToPath(new URL('../workflows/interceptors.ts', import.meta.url));
const PAYLOAD_CONVERTER = fileURLToPath(new URL('../workflows/payload-converter.ts', import.meta.url));
const PRINT_BUNDLE = fileURLToPath(new URL('./print-bundle.mjs', import.meta.url));
const BUNDLE_TIMEOUT_MS = 120_000;
/** It has 3 million. */
const BUNDLE_MAX_CHARS = 50_000_000;

/** Each takes seconds to minutes, one core, and about 100 MB. */
const SPEECH_STEPS_AT_ONCE = 4;

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: ReturnType<typeof createActivities>;
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
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
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  const { exitCode, stdout, stderrTail } = await run(
    process.execPath,
    [PRINT_BUNDLE, WORKFLOWS, INTERCEPTORS, PAYLOAD_CONVERTER],
    {
      cwd: dirname(PRINT_BUNDLE),
      env: bareEnvironment(process.execPath),
      timeoutMs: BUNDLE_TIMEOUT_MS,
      maxStdoutChars: BUNDLE_MAX_CHARS,
    },
  );
  if (exitCode !== 0) throw new Error(`the workflows could not be compiled: ${stderrTail}`);
  return { code: stdout, sourceMap: '' };
}

/** One worker per task queue, in one process. */
export async function createWorkers(options: WorkersOptions): Promise<Workers> {
  const { activities, taskQueue } = options;
  const interceptors = { activity: [checkInputs] };
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    shutdownGraceTime: options.shutdownGraceMs,
    // An activity that ignores its cancellation must not keep the process alive.
    shutdownForceTime: options.shutdownGraceMs + 3_000,
    // A cancellation reaches a download with the next heartbeat that is sent.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    interceptors,
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
      taskQueue: taskQueues.speechSteps(taskQueue),
      activities: activities.speech,
      maxConcurrentActivityTaskExecutions: SPEECH_STEPS_AT_ONCE,
    }),
    Worker.create({
      ...shared,
      taskQueue: taskQueues.speech(taskQueue),
      activities: activities.speech,
      maxConcurrentActivityTaskExecutions: options.maxSpeechWindows,
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
