import { ApplicationFailure } from '@temporalio/common';
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { type Activities, activityInputs } from '../activities/create-activities.ts';
import { refusalOf } from '../runtime/inputs/check.ts';
import { taskQueues } from '../runtime/task-queues.ts';

/** Each takes seconds to minutes, one core, and about 100 MB. */
const SPEECH_STEPS_AT_ONCE = 4;

interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: Activities;
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
  readonly maxDeliveries: number;
  readonly shutdownGraceMs: number;
}

/** Looks at what an activity is asked to do before it acts: it may become a path, a URL, or what is removed. */
const checkInputs: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const refusal = refusalOf(activityInputs, info.activityType, input.args);
      if (refusal !== undefined) return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
      return next(input);
    },
  },
});

/** One worker per task queue, in one process. */
export async function createWorkers(options: WorkersOptions) {
  const { activities, taskQueue } = options;
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    shutdownGraceTime: options.shutdownGraceMs,
    // An activity that ignores its cancellation must not keep the process alive.
    shutdownForceTime: options.shutdownGraceMs + 3_000,
    // Each heartbeat is sent at once: a cancellation comes back with it, and activities/heartbeat.ts makes few.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    interceptors: { activity: [checkInputs] },
  };
  const ofActivities = (queue: Exclude<keyof typeof taskQueues, 'workflows'>, own: object, atOnce: number) =>
    Worker.create({
      ...shared,
      taskQueue: taskQueues[queue](taskQueue),
      activities: own,
      maxConcurrentActivityTaskExecutions: atOnce,
    });
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: taskQueues.workflows(taskQueue),
      workflowBundle: options.bundle,
      activities: activities.records,
    }),
    ofActivities('fetch', activities.fetch, options.maxFetches),
    ofActivities('speechSteps', activities.speech, SPEECH_STEPS_AT_ONCE),
    ofActivities('speech', activities.speech, options.maxSpeechWindows),
    ofActivities('webhooks', activities.deliver, options.maxDeliveries),
  ]);
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    /** Takes no new tasks; running ones get the grace time, then they are cancelled and repeated elsewhere. */
    shutdown,
    /** Resolves when all have stopped, rejects when one of them failed. */
    run: async (): Promise<void> => {
      // One that fails takes the others along: half a worker would accept work that nobody does.
      await Promise.all(workers.map((worker) => worker.run().finally(shutdown)));
    },
  };
}
