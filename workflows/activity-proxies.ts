import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { ListingOrder } from '../activities/batches/list-source.ts';
import type { Activities } from '../activities/create-activities.ts';
import { activityIdOf, MAX_WAIT_MS, type PlatformUse, type RouteNames, type UpstreamUse } from '../pacing/routes.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';

/** Several heartbeats: see activities/heartbeat.ts. */
const LOST_AFTER = '12 seconds';

/** For short steps. The database or Temporal may be unavailable for hours, so they are retried until they succeed. */
const untilDone = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
} as const;

export const records = proxyActivities<Activities['records']>(untilDone);

/** Steps that may take minutes: one call of `advanceBatch` reads and starts up to a hundred jobs. */
const longRecords = (summary?: string) =>
  proxyActivities<Activities['records']>({
    ...{ ...untilDone, startToCloseTimeout: '10 minutes', heartbeatTimeout: LOST_AFTER },
    // A cancellation waits until the activity starts no more jobs.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...(summary !== undefined && { summary }),
  });
export const batches = longRecords();

/** @returns the activities that read a list: on the route of its upstream, or for a profile wait for the jobs that collect it */
export function listReaders(
  { use, routes, startedBy }: ListingOrder & { readonly startedBy: string },
  summary: string,
) {
  return use === undefined ? longRecords(summary) : createUseUpstream(routes, startedBy)(use, summary);
}

/**
 * The steps of every job. As local activities they need no task queue and add one event each. Longer waits for the database are
 * timers of the server, so that no workflow task is held open.
 */
export const localRecords = proxyLocalActivities<Pick<Activities['records'], 'beginJob' | 'finishJob' | 'refusalOf'>>({
  ...untilDone,
  localRetryThreshold: '2 seconds',
});

/**
 * For minutes or hours of work. The activities decide themselves when they are retried (see pacing/retries.ts); this retry
 * policy is for dead workers and for faults of the service.
 */
const heavy = {
  heartbeatTimeout: LOST_AFTER,
  // With TRY_CANCEL, the default, the workflow would continue while yt-dlp still runs.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} as const;

export type UseUpstream = ReturnType<typeof createUseUpstream>;

/**
 * @param fairnessKey the job's caller, so that a caller with many jobs does not hold up others
 * @returns a function that returns the activities for one use of an upstream. An `unpaced` use takes no slot of the route.
 */
export function createUseUpstream(routes: RouteNames, fairnessKey: string) {
  const { taskQueue } = workflowInfo();
  let uses = 0;
  return (use: UpstreamUse, summary: string, how: 'paced' | 'unpaced' = 'paced') => {
    const isSite = use.startsWith('site/');
    const route = isSite ? use : routes[use as PlatformUse];
    const paced = isSite ? taskQueues.sites(taskQueue) : taskQueues.route(taskQueue, route);
    uses += 1;
    const activityId = activityIdOf(route, uses);
    setCurrentDetails(`${summary}, as the pending activity ${activityId}.`);
    return proxyActivities<Activities['fetch']>({
      ...heavy,
      taskQueue: how === 'paced' ? paced : taskQueues.fetch(taskQueue),
      activityId,
      startToCloseTimeout: '10 hours',
      scheduleToCloseTimeout: routes.maxWaitMs ?? MAX_WAIT_MS,
      priority: { fairnessKey },
      summary,
    });
  };
}

/** Work on files that needs no upstream. */
export const fetchSteps = (summary: string) =>
  proxyActivities<Activities['fetch']>({
    ...heavy,
    taskQueue: taskQueues.fetch(workflowInfo().taskQueue),
    startToCloseTimeout: '10 hours',
    summary,
  });

/** The engine that must do the work, and for how long its workers may leave a task unclaimed. */
interface EngineClaim {
  readonly engineKey: string;
  readonly minutes: number;
}

/** Transcription of windows, which takes minutes of a processor. */
export const windowActivities = (summary: string, claim: EngineClaim) =>
  speechActivities(taskQueues.speech(workflowInfo().taskQueue, claim.engineKey), summary, claim);

/** The short steps before and after the windows. */
export const speechSteps = (summary: string, claim?: EngineClaim) =>
  speechActivities(taskQueues.speechSteps(workflowInfo().taskQueue, claim?.engineKey), summary, claim);

function speechActivities(taskQueue: string, summary: string, claim: EngineClaim | undefined) {
  return proxyActivities<Activities['speech']>({
    ...heavy,
    taskQueue,
    ...(claim && { scheduleToStartTimeout: claim.minutes * 60_000 }),
    startToCloseTimeout: '4 hours',
    summary,
  });
}

/** Waits for another job, which may wait for a platform. Each attempt checks once, so hours are one activity in the history. */
export function pollActivities(summary: string) {
  return proxyActivities<Pick<Activities['records'], 'awaitOtherListing' | 'awaitOwnerProfile'>>({
    startToCloseTimeout: '45 seconds',
    scheduleToCloseTimeout: '3 hours',
    retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds' },
    summary,
  });
}

/** Waits for another job, without a limit, because that job has one. */
export function awaitingActivities(summary: string) {
  return proxyActivities<
    Pick<Activities['records'], 'awaitAudio' | 'beginSpeech' | 'awaitSpeech' | 'awaitNexusRecord'>
  >({
    startToCloseTimeout: '45 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
    summary,
  });
}

/** One request to a receiver. Retries are for faults of the service and for a receiver that is busy; a refusal is a result. */
export function deliverActivities(summary: string) {
  return proxyActivities<Activities['deliver']>({
    taskQueue: taskQueues.webhooks(workflowInfo().taskQueue),
    // A list of 20,000 items has 40 MB, and some connections are slow.
    startToCloseTimeout: '15 minutes',
    heartbeatTimeout: LOST_AFTER,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
    summary,
  });
}

/** A first attempt by the worker that runs the workflow. If it fails, the queue takes over. */
export function deliverLocally(summary: string) {
  return proxyLocalActivities<Activities['deliver']>({
    startToCloseTimeout: '30 seconds',
    retry: { maximumAttempts: 1 },
    summary,
  });
}
