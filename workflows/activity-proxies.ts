import { ActivityCancellationType, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import type { createUpstreamOptions } from '../pacing/upstream-options.ts';
import { taskQueues } from '../runtime/temporal/task-queues.ts';

/** Several beats: see activities/heartbeat.ts. */
const LOST_AFTER = '12 seconds';

/** The database, or Temporal, may be away for hours: short steps are tried until they succeed. */
export const untilDone = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
} as const;

export const records = proxyActivities<Activities['records']>(untilDone);

const soon = { ...untilDone, localRetryThreshold: '2 seconds' } as const;

/**
 * The steps of each job, made by the worker that runs the workflow: no task, no queue, one event. While the database is away
 * the longer waits are timers of the server, and no workflow task is held open for them.
 */
export const localRecords =
  proxyLocalActivities<Pick<Activities['records'], 'beginJob' | 'finishJob' | 'refusalOf'>>(soon);

/**
 * Minutes or hours of work. The activities decide themselves how often they are retried, and when: see pacing/retries.ts. The
 * policy here is for a worker that died, and for faults of the service.
 */
const heavy = {
  // A worker that was killed outright is noticed after this time.
  heartbeatTimeout: LOST_AFTER,
  // The default is TRY_CANCEL: the workflow would go on while yt-dlp still runs.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} as const;

/** Downloads, and what else is fetched. */
export function fetchActivities(summary: string, options: UpstreamOptions) {
  return proxyActivities<Activities['fetch']>({ ...heavy, startToCloseTimeout: '10 hours', summary, ...options });
}

type UpstreamOptions = ReturnType<ReturnType<typeof createUpstreamOptions>>;

/**
 * @param queue `speech` for a window of audio, minutes of a processor; `speechSteps` for what comes before and after them
 * @param by who must do it, and how long nobody may take it up; by default anybody, and for ever
 */
export function speechActivities(
  queue: 'speech' | 'speechSteps',
  summary: string,
  { engineKey, untakenMinutes }: { readonly engineKey?: string; readonly untakenMinutes?: number } = {},
) {
  return proxyActivities<Activities['speech']>({
    ...heavy,
    taskQueue: taskQueues[queue](workflowInfo().taskQueue, engineKey),
    ...(engineKey === undefined || untakenMinutes === undefined
      ? {}
      : { scheduleToStartTimeout: `${untakenMinutes} minutes` as const }),
    startToCloseTimeout: '4 hours',
    summary,
  });
}

/** Waits for another job: each attempt asks once, without a heartbeat. Hours of waiting are one activity in the history. */
export function pollActivities(summary: string, maxWait: '3 hours') {
  return proxyActivities<Pick<Activities['records'], 'awaitOtherListing'>>({
    taskQueue: taskQueues.workflows(workflowInfo().taskQueue),
    startToCloseTimeout: '45 seconds',
    scheduleToCloseTimeout: maxWait,
    // It waits between attempts most of the time, where nothing could tell it to stop.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds' },
    summary,
  });
}

/**
 * One request to a receiver. Its refusal is a result; only our own faults, and the receiver's lack of a free place, are
 * retried here, without using up an attempt.
 */
export function deliverActivities(summary: string) {
  return proxyActivities<Activities['deliver']>({
    taskQueue: taskQueues.webhooks(workflowInfo().taskQueue),
    // A list of 20,000 items is 40 MB, and some lines are slow.
    startToCloseTimeout: '15 minutes',
    heartbeatTimeout: LOST_AFTER,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
    summary,
  });
}

/** A first attempt, made by the worker that runs the workflow; as it is with one that fails, the queue has it then. */
export function deliverLocally(summary: string) {
  return proxyLocalActivities<Activities['deliver']>({
    startToCloseTimeout: '30 seconds',
    retry: { maximumAttempts: 1 },
    summary,
  });
}
