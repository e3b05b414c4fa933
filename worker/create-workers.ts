import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkerDeploymentOptions,
  type WorkerOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { ServiceHandler } from 'nexus-rpc';
import { type Activities, activityInputs } from '../activities/create-activities.ts';
import { BATCH_PRIORITY } from '../contract/batches/batch-state.ts';
import { inputErrorOf } from '../runtime/inputs/check-input.ts';
import { jobInputs } from '../contract/kinds/job-inputs.ts';
import { optional } from '../runtime/optional.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { pacedActivities } from '../pacing/interceptor.ts';
import { SPEECH_DELAYS_SECONDS, UPSTREAM_DELAYS_SECONDS } from '../pacing/retries.ts';
import type { Route } from '../pacing/routes.ts';
import { createShares, routeTuner } from '../pacing/slots.ts';
import { yielding } from '../runtime/subprocess/run-program.ts';
import { workerRoles, type WorkerRole } from '../runtime/temporal/worker-roles.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';

/** Each step takes seconds to minutes, one core, and about 100 MB. */
const SPEECH_STEPS_AT_ONCE = 4;
/**
 * The number of concurrent polls. A frozen worker loses one task to each of them until the server times the task out, so there
 * are only as many as keep up with the tasks. One of the two for workflow tasks serves cached workflows.
 */
const POLLS = {
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
  nexusTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
} as const;

interface WorkersOptions {
  readonly roles?: readonly WorkerRole[];
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** It is set if payloads are encrypted. */
  readonly dataConverter?: DataConverter | undefined;
  readonly taskQueue: string;
  /** Required for the role `workflows`. */
  readonly bundle: WorkflowBundleWithSourceMap | undefined;
  readonly activities: Activities;
  /** Served by the role `workflows`. */
  readonly nexusService?: ServiceHandler;
  readonly breakers: Breakers;
  /** The routes that the roles of this worker serve. */
  readonly routes: readonly Route[];
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
  /** The key of this worker's speech engine. */
  readonly engineKey?: string | undefined;
  readonly maxDeliveries: number;
  readonly shutdownGraceMs: number;
  /** If it is set, jobs stay with workers of the release that started them. */
  readonly deployment?: WorkerDeploymentOptions | undefined;
  /** Interceptors that see each attempt at an activity before all others. */
  readonly watch?: readonly ActivityInterceptorsFactory[];
}

/** `polled`: the worker takes tasks; `stopping`: it ends the running ones; `failed`: the process is about to end. */
export interface QueueState {
  readonly queue: string;
  readonly state: 'starting' | 'polled' | 'stopping' | 'failed';
}

/** The first activity of each job, whose input is that of the workflow. */
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

/** The programs of batches yield the processor to those of single requests. */
const yieldInBatches: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => yielding.run(info.priority?.priorityKey === BATCH_PRIORITY, () => next(input)),
  },
});

/** Creates a Temporal worker for each task queue of the roles, in one process. */
export async function createWorkers(options: WorkersOptions) {
  const { activities, taskQueue, breakers, routes, maxFetches, watch = [], roles = workerRoles } = options;
  const before = [...watch, checkInputs, yieldInBatches];
  const create = (queue: string, own: Partial<WorkerOptions>, paced?: ActivityInterceptorsFactory) =>
    Worker.create({
      connection: options.connection,
      namespace: options.namespace,
      ...optional('dataConverter', options.dataConverter),
      shutdownGraceTime: options.shutdownGraceMs,
      // An activity that ignores its cancellation must not keep the process alive.
      shutdownForceTime: options.shutdownGraceMs + 3_000,
      // Each heartbeat is sent at once, because it returns a cancellation, and activities/heartbeat.ts sends few.
      maxHeartbeatThrottleInterval: '1 second',
      defaultHeartbeatThrottleInterval: '1 second',
      ...optional('workerDeploymentOptions', options.deployment),
      ...POLLS,
      ...own,
      taskQueue: queue,
      interceptors: { activity: paced === undefined ? before : [...before, paced] },
    });
  const delaysSeconds = UPSTREAM_DELAYS_SECONDS;
  const ofRoute = ({ route, maxAtOnce, startsPerMinute }: Route) => {
    const own = {
      activities: activities.fetch,
      tuner: routeTuner(breakers.of(route), maxAtOnce),
      // The server enforces this rate over all workers.
      maxTaskQueueActivitiesPerSecond: startsPerMinute / 60,
    };
    return create(taskQueues.route(taskQueue, route), own, pacedActivities({ breakers, delaysSeconds, isGated: true }));
  };
  const fetching = { activities: activities.fetch, maxConcurrentActivityTaskExecutions: maxFetches };
  const byRole: Readonly<Record<WorkerRole, () => readonly Promise<Worker>[]>> = {
    workflows: () => [
      create(taskQueues.workflows(taskQueue), {
        ...optional('workflowBundle', options.bundle),
        // A first attempt at a webhook is a local activity.
        activities: { ...activities.deliver, ...activities.records },
        nexusServices: options.nexusService === undefined ? [] : [options.nexusService],
      }),
    ],
    // The role has only the queues of its routes.
    vidnet: () => [],
    imgnet: () => [create(taskQueues.fetch(taskQueue), fetching, pacedActivities({ breakers, delaysSeconds }))],
    media: () => {
      const shares = createShares(maxFetches);
      return [create(taskQueues.sites(taskQueue), fetching, pacedActivities({ breakers, delaysSeconds, shares }))];
    },
    speech: () => {
      const { engineKey, maxSpeechWindows } = options;
      const ofSpeech = (queue: string, atOnce = SPEECH_STEPS_AT_ONCE) => {
        const own = { activities: activities.speech, maxConcurrentActivityTaskExecutions: atOnce };
        return create(queue, own, pacedActivities({ delaysSeconds: SPEECH_DELAYS_SECONDS }));
      };
      const anyEngine = ofSpeech(taskQueues.speechSteps(taskQueue));
      if (engineKey === undefined) return [anyEngine];
      const ofEngine = ofSpeech(taskQueues.speechSteps(taskQueue, engineKey));
      return [anyEngine, ofEngine, ofSpeech(taskQueues.speech(taskQueue, engineKey), maxSpeechWindows)];
    },
    webhooks: () => {
      const own = { activities: activities.deliver, maxConcurrentActivityTaskExecutions: options.maxDeliveries };
      return [create(taskQueues.webhooks(taskQueue), own)];
    },
  };
  const workers = await Promise.all([...routes.map(ofRoute), ...roles.flatMap((role) => byRole[role]())]);
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    /** Returns the state of each queue. */
    queues: (): QueueState[] => workers.map((worker) => ({ queue: worker.options.taskQueue, state: stateOf(worker) })),
    /** Stops polling. Running tasks get the grace time; then they are cancelled, and other workers repeat them. */
    shutdown,
    /** Resolves when all workers have stopped, and rejects if one of them failed. */
    run: async (): Promise<void> => {
      // If one fails, the others stop too, because a process with only some of its queues would look healthy.
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
