import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkerDeploymentOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { type Activities, activityInputs } from '../activities/create-activities.ts';
import { inputErrorOf } from '../runtime/inputs/check-input.ts';
import { jobInputs } from '../contract/kinds/job-inputs.ts';
import { optional } from '../runtime/optional.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { pacedActivities } from '../pacing/interceptor.ts';
import { SPEECH_DELAYS_SECONDS, UPSTREAM_DELAYS_SECONDS } from '../pacing/retries.ts';
import type { Route } from '../pacing/routes.ts';
import { createShares, routeTuner } from '../pacing/slots.ts';
import { workerRoles, type WorkerRole } from '../runtime/temporal/worker-roles.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';

/** Each takes seconds to minutes, one core, and about 100 MB. */
const SPEECH_STEPS_AT_ONCE = 4;
/**
 * Polls that are under way at once. A worker that is frozen swallows a task by each of them until the server times the task out,
 * so there are as few as keep up with the tasks. Of two for workflow tasks one is for the tasks of cached workflows.
 */
const POLLS = {
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
} as const;

interface WorkersOptions {
  /** The default is all roles. */
  readonly roles?: readonly WorkerRole[];
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** It is set if payloads are encrypted. */
  readonly dataConverter?: DataConverter | undefined;
  readonly taskQueue: string;
  /** Needed by the role that runs them. */
  readonly bundle: WorkflowBundleWithSourceMap | undefined;
  readonly activities: Activities;
  readonly breakers: Breakers;
  /** Those that its roles serve. */
  readonly routes: readonly Route[];
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
  /** The key of the engine that this worker has. */
  readonly engineKey?: string | undefined;
  readonly maxDeliveries: number;
  readonly shutdownGraceMs: number;
  /** With it, jobs stay with workers of the release that began them. */
  readonly deployment?: WorkerDeploymentOptions | undefined;
  /** See each attempt at an activity before anything else does. */
  readonly watch?: readonly ActivityInterceptorsFactory[];
}

/** `polled`: tasks of it are taken; `stopping`: running ones are ended; `failed`: the process is about to end. */
export interface QueueState {
  readonly queue: string;
  readonly state: 'starting' | 'polled' | 'stopping' | 'failed';
}

/** The first step of each job: its input is what its workflow takes. */
const BEGINNINGS: ReadonlySet<string> = new Set<keyof Activities['records']>(['beginJob']);

/** Checks the input of an activity before it runs, because values become paths, URLs and IDs. */
const checkInputs: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const refusal = BEGINNINGS.has(info.activityType)
        ? inputErrorOf(jobInputs, info.workflowType ?? '', input.args)
        : inputErrorOf(activityInputs, info.activityType, input.args);
      if (refusal !== undefined) return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
      return next(input);
    },
  },
});

/** One worker per task queue of its roles, in one process. */
export async function createWorkers(options: WorkersOptions) {
  const { activities, taskQueue, breakers, routes, watch = [], roles = workerRoles } = options;
  const before = [...watch, checkInputs];
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    ...optional('dataConverter', options.dataConverter),
    shutdownGraceTime: options.shutdownGraceMs,
    // An activity that ignores its cancellation must not keep the process alive.
    shutdownForceTime: options.shutdownGraceMs + 3_000,
    // Each heartbeat is sent at once: a cancellation comes back with it, and activities/heartbeat.ts makes few.
    maxHeartbeatThrottleInterval: '1 second',
    defaultHeartbeatThrottleInterval: '1 second',
    interceptors: { activity: before },
    ...optional('workerDeploymentOptions', options.deployment),
    ...POLLS,
  };
  const ofQueue = (
    queue: string,
    own: object,
    { atOnce, paced }: { readonly atOnce: number; readonly paced?: ActivityInterceptorsFactory },
  ) =>
    Worker.create({
      ...shared,
      taskQueue: queue,
      activities: own,
      maxConcurrentActivityTaskExecutions: atOnce,
      interceptors: { activity: paced === undefined ? before : [...before, paced] },
    });
  const delaysSeconds = UPSTREAM_DELAYS_SECONDS;
  const ofRoute = ({ route, maxAtOnce, startsPerMinute }: Route) =>
    Worker.create({
      ...shared,
      taskQueue: taskQueues.route(taskQueue, route),
      activities: activities.fetch,
      tuner: routeTuner(breakers.of(route), maxAtOnce),
      // The server holds this rate over all workers.
      maxTaskQueueActivitiesPerSecond: startsPerMinute / 60,
      interceptors: { activity: [...before, pacedActivities({ breakers, delaysSeconds, isGated: true })] },
    });
  const byRole: Readonly<Record<WorkerRole, () => readonly Promise<Worker>[]>> = {
    workflows: () => [
      Worker.create({
        ...shared,
        taskQueue: taskQueues.workflows(taskQueue),
        ...optional('workflowBundle', options.bundle),
        // A first attempt at a webhook is a local activity.
        activities: { ...activities.deliver, ...activities.records },
      }),
    ],
    // Their queues are those of the routes.
    vidnet: () => [],
    imgnet: () => [
      ofQueue(taskQueues.fetch(taskQueue), activities.fetch, {
        atOnce: options.maxFetches,
        paced: pacedActivities({ breakers, delaysSeconds }),
      }),
    ],
    media: () => [
      ofQueue(taskQueues.sites(taskQueue), activities.fetch, {
        atOnce: options.maxFetches,
        paced: pacedActivities({ breakers, delaysSeconds, shares: createShares(options.maxFetches) }),
      }),
    ],
    speech: () => {
      const { engineKey, maxSpeechWindows } = options;
      const ofSpeech = (queue: string, atOnce: number) =>
        ofQueue(queue, activities.speech, { atOnce, paced: pacedActivities({ delaysSeconds: SPEECH_DELAYS_SECONDS }) });
      const anyEngine = ofSpeech(taskQueues.speechSteps(taskQueue), SPEECH_STEPS_AT_ONCE);
      if (engineKey === undefined) return [anyEngine];
      return [
        anyEngine,
        ofSpeech(taskQueues.speechSteps(taskQueue, engineKey), SPEECH_STEPS_AT_ONCE),
        ofSpeech(taskQueues.speech(taskQueue, engineKey), maxSpeechWindows),
      ];
    },
    webhooks: () => [ofQueue(taskQueues.webhooks(taskQueue), activities.deliver, { atOnce: options.maxDeliveries })],
  };
  const workers = await Promise.all([...routes.map(ofRoute), ...roles.flatMap((role) => byRole[role]())]);
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    /** Which queues are polled just now. */
    queues: (): QueueState[] => workers.map((worker) => ({ queue: worker.options.taskQueue, state: stateOf(worker) })),
    /**
     * Takes no new tasks; running ones get the grace time, then they are cancelled and repeated elsewhere.
     */
    shutdown,
    /** Resolves when all have stopped, rejects when one of them failed. */
    run: async (): Promise<void> => {
      // If one fails, the others stop too: half a worker would accept work that it cannot do.
      await Promise.all(workers.map((worker) => worker.run().finally(shutdown)));
    },
  };
}

function stateOf(worker: Worker): QueueState['state'] {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  if (runState === 'INITIALIZED') return 'starting';
  // A worker without workflows shuts down their poller from the start.
  const pollers = [activityPollerState, ...(worker.options.workflowBundle === undefined ? [] : [workflowPollerState])];
  if (runState === 'FAILED' || pollers.includes('FAILED')) return 'failed';
  return runState === 'RUNNING' && pollers.every((state) => state === 'POLLING') ? 'polled' : 'stopping';
}
