import { ApplicationFailure } from '@temporalio/common';
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
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly activities: Activities;
  readonly pacing: Pacing;
  readonly maxFetches: number;
  readonly maxSpeechWindows: number;
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
const BEGINNINGS: ReadonlySet<string> = new Set<keyof Activities['records']>(['beginJob', 'claimJob']);

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
  triggerSnapshot: 'imgnet-dataset',
  storeProfile: 'imgnet-dataset',
  storeContent: 'imgnet-dataset',
  storeList: 'imgnet-dataset',
  fetchImgnetAudio: 'imgnet-media',
};

function ofUse(activity: string, pacing: Pacing): Budget | undefined {
  const use = (USES as Readonly<Record<string, UpstreamUse | undefined>>)[activity];
  return use === undefined ? undefined : pacing.budgetOf(use);
}

/** One worker per task queue, in one process. */
export async function createWorkers(options: WorkersOptions) {
  const { activities, taskQueue, pacing, watch = [] } = options;
  const before = [...watch, checkInputs];
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
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
    { atOnce, pacedAs = [] }: { readonly atOnce: number; readonly pacedAs?: readonly ActivityInterceptorsFactory[] },
  ) =>
    Worker.create({
      ...shared,
      taskQueue: taskQueues[queue](taskQueue),
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
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: taskQueues.workflows(taskQueue),
      workflowBundle: options.bundle,
      // A first attempt at a webhook is a local activity.
      activities: { ...activities.deliver, ...activities.records },
    }),
    ...pacing.routes.map(ofRoute),
    ofActivities('sites', activities.fetch, {
      atOnce: options.maxFetches,
      pacedAs: [pacedBySite((site) => pacing.siteBudget(site))],
    }),
    ofActivities('fetch', activities.fetch, {
      atOnce: options.maxFetches,
      pacedAs: [reportingTo((activity) => ofUse(activity, pacing))],
    }),
    ofActivities('speechSteps', activities.speech, { atOnce: SPEECH_STEPS_AT_ONCE }),
    ofActivities('speech', activities.speech, { atOnce: options.maxSpeechWindows }),
    ofActivities('webhooks', activities.deliver, { atOnce: options.maxDeliveries }),
  ]);
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    /** Which queues are polled just now. */
    queues: (): QueueState[] => workers.map((worker) => ({ queue: worker.options.taskQueue, state: stateOf(worker) })),
    /** Takes no new tasks; running ones get the grace time, then they are cancelled and repeated elsewhere. */
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
  if (runState === 'FAILED' || [workflowPollerState, activityPollerState].includes('FAILED')) return 'failed';
  return runState === 'RUNNING' && activityPollerState === 'POLLING' ? 'polled' : 'stopping';
}
