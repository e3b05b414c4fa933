import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkerDeploymentOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { type Activities, activityInputs } from '../activities/create-activities.ts';
import { refusalOf } from '../runtime/inputs/check.ts';
import { jobInputs } from '../runtime/inputs/jobs.ts';
import { optional } from '../runtime/optional.ts';
import type { UpstreamUse } from '../runtime/pacing.ts';
import { roleOf, workerRoles, type WorkerRole } from '../runtime/roles.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import type { Budget } from './pacing/budget.ts';
import { pacedBy, pacedBySite, reportingTo } from './pacing/interceptors.ts';
import type { Pacing } from './pacing/pacing.ts';
import { pacedTuner } from './pacing/slots.ts';

/** Each takes seconds to minutes, one core, and about 100 MB. */
const SPEECH_STEPS_AT_ONCE = 4;
/** Each holds a place while it waits for a task. */
const POLLS_OF_ROUTE = 2;

interface WorkersOptions {
  /** By default all. */
  readonly roles?: readonly WorkerRole[];
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Where payloads are encrypted. */
  readonly dataConverter?: DataConverter | undefined;
  readonly taskQueue: string;
  /** Needed by the role that runs them. */
  readonly bundle: WorkflowBundleWithSourceMap | undefined;
  readonly activities: Activities;
  readonly pacing: Pacing;
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
  /** Of the engine that this worker has. */
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

/** Looks at what an activity is asked to do before it acts: it may become a path, a URL, or what is removed. */
const checkInputs: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const refusal = BEGINNINGS.has(info.activityType)
        ? refusalOf(jobInputs, info.workflowType ?? '', input.args)
        : refusalOf(activityInputs, info.activityType, input.args);
      if (refusal !== undefined) return Promise.reject(ApplicationFailure.nonRetryable(refusal, 'invalid-input'));
      return next(input);
    },
  },
});

/** What activities use that have no permit: those of jobs of version 4da8403, and the keeping of what was collected. */
const USES: Partial<Record<keyof Activities['fetch'], UpstreamUse>> = {
  fetchAudio: 'vidnet-page',
  fetchVideo: 'vidnet-page',
  fetchTranscript: 'vidnet-page',
  describeChannel: 'vidnet-listing',
  listChannel: 'vidnet-listing',
  fetchComments: 'vidnet-comments',
  storeProfile: 'imgnet-dataset',
  storeContent: 'imgnet-dataset',
  storeList: 'imgnet-dataset',
  fetchImgnetAudio: 'imgnet-media',
};

function ofUse(activity: string, pacing: Pacing): Budget | undefined {
  const use = (USES as Readonly<Record<string, UpstreamUse | undefined>>)[activity];
  return use === undefined ? undefined : pacing.budgetOf(use);
}

/** What a worker of some roles can do; of a job of version 4da8403 the rest is left to a worker that has its role. */
function ofRoles(fetch: Activities['fetch'], roles: readonly WorkerRole[]): object {
  const uses: Readonly<Record<string, UpstreamUse | undefined>> = USES;
  return Object.fromEntries(
    Object.entries(fetch).filter(([name]) => {
      const use = uses[name];
      return use === undefined || roles.includes(roleOf(use));
    }),
  );
}

/** One worker per task queue of its roles, in one process. */
export async function createWorkers(options: WorkersOptions) {
  const { activities, taskQueue, pacing, watch = [], roles = workerRoles } = options;
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
  };
  const ofActivities = (
    queue: Exclude<keyof typeof taskQueues, 'workflows' | 'route'>,
    own: object,
    {
      atOnce,
      pacedAs = [],
      engineKey,
    }: {
      readonly atOnce: number;
      readonly pacedAs?: readonly ActivityInterceptorsFactory[];
      readonly engineKey?: string;
    },
  ) =>
    Worker.create({
      ...shared,
      taskQueue: taskQueues[queue](taskQueue, engineKey),
      activities: own,
      maxConcurrentActivityTaskExecutions: atOnce,
      interceptors: { activity: [...before, ...pacedAs] },
    });
  const ofRoute = (route: string) =>
    Worker.create({
      ...shared,
      taskQueue: taskQueues.route(taskQueue, route),
      activities: activities.fetch,
      tuner: pacedTuner(pacing.budget(route)),
      maxConcurrentActivityTaskPolls: POLLS_OF_ROUTE,
      interceptors: { activity: [...before, pacedBy(pacing.budget(route))] },
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
      ofActivities('fetch', ofRoles(activities.fetch, roles), {
        atOnce: options.maxFetches,
        pacedAs: [reportingTo((activity) => ofUse(activity, pacing))],
      }),
    ],
    media: () => [
      ofActivities('sites', activities.fetch, {
        atOnce: options.maxFetches,
        pacedAs: [pacedBySite((site) => pacing.siteBudget(site))],
      }),
    ],
    speech: () => {
      const { engineKey, maxSpeechWindows } = options;
      return [
        ofActivities('speechSteps', activities.speech, { atOnce: SPEECH_STEPS_AT_ONCE }),
        // Windows of older releases, which few jobs have.
        ofActivities('speech', activities.speech, { atOnce: engineKey === undefined ? maxSpeechWindows : 1 }),
        ...(engineKey === undefined
          ? []
          : [
              ofActivities('speechSteps', activities.speech, { atOnce: SPEECH_STEPS_AT_ONCE, engineKey }),
              ofActivities('speech', activities.speech, { atOnce: maxSpeechWindows, engineKey }),
            ]),
      ];
    },
    webhooks: () => [ofActivities('webhooks', activities.deliver, { atOnce: options.maxDeliveries })],
  };
  const workers = await Promise.all([...pacing.routes.map(ofRoute), ...roles.flatMap((role) => byRole[role]())]);
  let isStopping = false;
  const shutdown = (): void => {
    // The grace time of what runs may be long, and others can begin meanwhile what waits.
    if (!isStopping) void pacing.drain();
    isStopping = true;
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    /** Which queues are polled just now. */
    queues: (): QueueState[] => workers.map((worker) => ({ queue: worker.options.taskQueue, state: stateOf(worker) })),
    /**
     * Takes no new tasks, and leaves the places for them to other workers; running ones get the grace time, then they are
     * cancelled and repeated elsewhere.
     */
    shutdown,
    /** Resolves when all have stopped, rejects when one of them failed. */
    run: async (): Promise<void> => {
      // One that fails takes the others along: half a worker would accept work that nobody does.
      await Promise.all(workers.map((worker) => worker.run().finally(shutdown)));
    },
  };
}

function stateOf(worker: Worker): QueueState['state'] {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  if (runState === 'INITIALIZED') return 'starting';
  // Where there are no workflows, their poller is shut down from the start.
  const pollers = [activityPollerState, ...(worker.options.workflowBundle === undefined ? [] : [workflowPollerState])];
  if (runState === 'FAILED' || pollers.includes('FAILED')) return 'failed';
  return runState === 'RUNNING' && pollers.every((state) => state === 'POLLING') ? 'polled' : 'stopping';
}
