import {
  ActivityFailure,
  ApplicationFailure,
  setCurrentDetails,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { RoutePauses } from '../activities/records.ts';
import type { JobInput } from '../contract/jobs.ts';
import { WITHOUT_KEY } from '../contract/webhooks.ts';
import {
  activityIdOf,
  MAX_PAUSED_MS,
  NOT_NOW,
  TURNED_AWAY,
  type NotNowDetails,
  type RouteNames,
  type UpstreamUse,
  type Waiting,
} from '../runtime/pacing.ts';
import type { Refusal } from '../runtime/pauses.ts';
import { taskQueues } from '../runtime/task-queues.ts';
import { localPacing } from './activities.ts';
import { failureOf, faultOf, refusalOf, upstreamFailure } from './outcome.ts';
import type { Place } from './place.ts';
import { createRetryWhenDiskFull } from './retry-when-disk-full.ts';
import { UPSTREAM_DELAYS_SECONDS, type UseEvents, type UseUpstream } from './use-upstream.ts';

/** Shorter waits are not shown: each change of the memo is an event of the history. */
const QUICK_MS = 10_000;
/** A site that is busy is asked ever more rarely. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** The clocks of the workers and of the server differ. */
const LEAST_PATIENCE_MS = 1_000;
/** The server ends a workflow at 51,200 events, and tells nobody: a job whose pauses are many and short fails before that. */
const MAX_EVENTS = 40_000;

/**
 * Uses of upstreams by a job: activities on the queue of the route, whose workers take a task only when it may begin. Three
 * kinds of failure are told apart by the activity. Our own disk is full: the job waits for space and begins anew. The platform
 * refuses the route: the job is queued again, no attempt is used up. Anything else of the upstream (a 500, a body cut short)
 * concerns this subject: the job waits and tries a few times.
 *
 * @param options.pauses of the routes, as the job began
 */
export function createUpstreams(
  input: JobInput,
  routes: RouteNames,
  {
    patienceMs = MAX_PAUSED_MS,
    pauses = {},
    ...events
  }: UseEvents & { readonly patienceMs?: number; readonly pauses?: RoutePauses },
): UseUpstream {
  const retryWhenDiskFull = createRetryWhenDiskFull(events.onShortage);
  const priority = { fairnessKey: input.chargedTo ?? input.startedBy ?? WITHOUT_KEY };
  let uses = 0;
  return (use, work) => retryWhenDiskFull(() => useUpstream(use, work));

  function placeOf(use: UpstreamUse, leftMs: number): Place & { readonly route: string } {
    const prefix = workflowInfo().taskQueue;
    const isSite = use.startsWith('site/');
    const route = isSite ? use : routes[use as keyof RouteNames];
    uses += 1;
    return {
      route,
      options: {
        taskQueue: isSite ? taskQueues.sites(prefix) : taskQueues.route(prefix, route),
        activityId: activityIdOf(route, uses),
        scheduleToStartTimeout: Math.max(LEAST_PATIENCE_MS, leftMs),
        priority,
      },
    };
  }

  async function useUpstream<Result>(use: UpstreamUse, work: (place: Place) => Promise<Result>): Promise<Result> {
    const queuedSinceMs = Date.now();
    /** As far as the job knows; it waits for as long as that alone allows. */
    let refusedSinceMs: number | undefined;
    let faults = 0;
    let waits = 0;
    /** Why its turn may be far, as far as the job knows: told to operators alone, and costs no event. */
    let why: string | undefined;
    events.onWork();
    for (;;) {
      const place = placeOf(use, patienceMs - (Date.now() - (refusedSinceMs ?? Date.now())));
      why ??= sentenceOf(pauses[place.route]);
      setCurrentDetails(
        `By route ${place.route}: a pending activity of it that has not started waits for its turn.${why}`,
      );
      try {
        return await work(place);
      } catch (error) {
        const refusal = refusalOf(error);
        const notNow = detailsIn(error, NOT_NOW);
        if (refusal !== undefined) {
          refusedSinceMs ??= Date.now();
          giveUpAfter(refusedSinceMs, refusal);
          why = ` At ${isoOf(Date.now())} the platform refused: ${refusal.message}`;
          events.onUpstreamFailure(refusal.message, 'waiting');
        } else if (isOutOfPatience(error)) {
          const pause = await localPacing.pauseOf({ route: place.route });
          // Without a pause it is the queue that is so long.
          refusedSinceMs = pause === null ? undefined : (refusedSinceMs ?? Math.max(pause.sinceMs, queuedSinceMs));
          if (pause !== null) giveUpAfter(refusedSinceMs, pause);
          why = pause === null ? '' : ` The route is paused since ${isoOf(pause.sinceMs)}: ${pause.message}`;
        } else if (notNow !== undefined) {
          const { code } = notNow;
          refusedSinceMs = code === undefined ? undefined : (refusedSinceMs ?? Date.now());
          giveUpAfter(refusedSinceMs, { code: code ?? 'upstream_error', message: messageOf(error) });
          why = '';
          waits += 1;
          await waitFor(messageOf(error), notNow, waits);
        } else if (typeOf(error) === TURNED_AWAY) {
          giveUpAfter(undefined, { code: 'upstream_error', message: messageOf(error) });
          const { atMs, code } = detailsIn(error, TURNED_AWAY) ?? {};
          // What it was refused with itself says more; a worker that has lost its share says nothing of the route.
          if (refusedSinceMs === undefined && atMs !== undefined && code !== undefined)
            why =
              sentenceOf({ reason: messageOf(error), untilMs: atMs }) || ` The route is paused: ${messageOf(error)}`;
        } else {
          const seconds = UPSTREAM_DELAYS_SECONDS[faults];
          if (faultOf(error) !== 'upstream' || seconds === undefined) throw error;
          why = '';
          faults += 1;
          const { message } = failureOf(error);
          events.onUpstreamFailure(message, 'backing-off');
          const summary = `upstream back-off ${faults} of ${UPSTREAM_DELAYS_SECONDS.length}: ${message}`;
          setCurrentDetails(`Waiting ${seconds} s. ${message}`);
          await sleep(seconds * 1000, { summary });
          setCurrentDetails('');
        }
      }
    }
  }

  /** @param sinceMs since when the platform refuses, if it does */
  function giveUpAfter(sinceMs: number | undefined, { code, message }: Refusal): void {
    const isTooLong = sinceMs !== undefined && Date.now() - sinceMs >= patienceMs;
    if (isTooLong || workflowInfo().historyLength >= MAX_EVENTS) throw upstreamFailure(code, message);
  }

  async function waitFor(reason: string, { atMs, code }: NotNowDetails, waits: number): Promise<void> {
    const isPaused = code !== undefined;
    const leastMs = Math.min(LONGEST_WAIT_MS, 500 * 2 ** waits);
    const waitMs = Math.max(atMs - Date.now(), leastMs);
    const until = isoOf(Date.now() + waitMs);
    const waiting: Waiting | undefined =
      isPaused || waitMs >= QUICK_MS ? { reason, ...(isPaused ? { until } : {}) } : undefined;
    if (waiting !== undefined) events.onShortage(waiting);
    try {
      await sleep(waitMs, { summary: reason });
    } finally {
      if (waiting !== undefined) events.onShortage(undefined);
    }
  }
}

function sentenceOf(pause: RoutePauses[string] | undefined): string {
  if (pause === undefined || pause.untilMs <= Date.now()) return '';
  return ` The route is paused until ${isoOf(pause.untilMs)}: ${pause.reason}`;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function isOutOfPatience(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof TimeoutFailure &&
    error.cause.timeoutType === 'SCHEDULE_TO_START'
  );
}

/** @returns undefined for another type, and for what an older worker has turned away */
function detailsIn(error: unknown, type: typeof NOT_NOW | typeof TURNED_AWAY): NotNowDetails | undefined {
  if (typeOf(error) !== type) return undefined;
  const { details } = (error as ActivityFailure).cause as ApplicationFailure;
  return details?.[0] as NotNowDetails | undefined;
}

function typeOf(error: unknown): string | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof ActivityFailure ? (error.cause?.message ?? '') : '';
}
