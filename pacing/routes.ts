import type { FailureCode } from '../contract/failures.ts';
import type { RouteSettings } from './route-settings.ts';
import type { WorkerRole } from '../runtime/temporal/worker-roles.ts';

/** How jobs use platforms. The configuration determines the route of each use. */
const USES = ['vidnet-page', 'vidnet-listing', 'vidnet-comments', 'imgnet-dataset', 'imgnet-media'] as const;
export type PlatformUse = (typeof USES)[number];
/** A platform, or another site such as `site/example.com`. */
export type UpstreamUse = PlatformUse | `site/${string}`;

/** How long the circuit breaker of a route stays open. */
export interface PauseLimits {
  /** The pause after the first refusal. Each refused trial doubles it. */
  readonly firstPauseSeconds: number;
  readonly maxPauseSeconds: number;
}

export interface DailyLimits {
  /** A part of the day (UTC) in which the operator allows the use of a route, such as `22:00-06:00`. */
  readonly hours?: string | undefined;
  readonly startsPerDay?: number | undefined;
}

export interface Route extends PauseLimits, DailyLimits {
  /** A name such as `vidnet` or `vidnet-data-api`. */
  readonly route: string;
  /** Activities that one worker runs at once. */
  readonly maxAtOnce: number;
  /** Activities that all workers together start per minute. */
  readonly startsPerMinute: number;
}

export type Routes = Readonly<Record<PlatformUse, Route>> & {
  /** Each site has a circuit breaker of its own. */
  readonly site: PauseLimits;
};

export type RouteNames = Readonly<Record<PlatformUse, string>> & {
  /** The longest wait for a route, if it is not the usual one. */
  readonly maxWaitMs?: number;
};

export function routesOf(
  config: RouteSettings & { readonly VIDNET_API_KEY?: string | undefined; readonly MAX_FETCHES: number },
): Routes {
  const pauses = {
    firstPauseSeconds: config.UPSTREAM_FIRST_PAUSE_SECONDS,
    maxPauseSeconds: config.UPSTREAM_MAX_PAUSE_SECONDS,
  };
  const limitsOf = (platform: 'VIDNET' | 'IMGNET') => ({
    ...pauses,
    maxAtOnce: config[`${platform}_MAX_JOBS`],
    startsPerMinute: config[`${platform}_STARTS_PER_MINUTE`],
    startsPerDay: config[`${platform}_STARTS_PER_DAY`],
    hours: config[`${platform}_HOURS`],
  });
  const vidnet = { ...limitsOf('VIDNET'), maxAtOnce: Math.min(config.VIDNET_MAX_JOBS, config.MAX_FETCHES) };
  // MAX_FETCHES does not apply, because a wait for the provider uses no resources of the machine.
  const dataset = limitsOf('IMGNET');
  const pages = { route: 'vidnet', ...vidnet };
  // With an API key, listings and comments come from the Data API, which refuses independently of the pages.
  const facts = config.VIDNET_API_KEY === undefined ? pages : { route: 'vidnet-data-api', ...vidnet };
  const maxFetches = Math.min(config.IMGNET_MAX_JOBS, config.MAX_FETCHES);
  return {
    'vidnet-page': pages,
    'vidnet-listing': facts,
    'vidnet-comments': facts,
    'imgnet-dataset': { route: 'imgnet', ...dataset },
    'imgnet-media': { route: 'imgnet-media', ...dataset, maxAtOnce: maxFetches },
    site: pauses,
  };
}

export function routeNamesOf(routes: Routes): RouteNames {
  const names = Object.fromEntries(USES.map((use) => [use, routes[use].route])) as Record<PlatformUse, string>;
  const isLimited = USES.some((use) => (routes[use].hours ?? routes[use].startsPerDay) !== undefined);
  return isLimited ? { ...names, maxWaitMs: LIMITED_WAIT_MS } : names;
}

/** @returns the routes that a worker with these roles serves, each once */
export function routesOfRoles(routes: Routes, roles: readonly WorkerRole[]): readonly Route[] {
  const used = USES.filter((use) => roles.includes(use.startsWith('vidnet-') ? 'vidnet' : 'imgnet'));
  return [...new Map(used.map((use) => [routes[use].route, routes[use]])).values()];
}

/** Whether a platform refuses the route. The job is not at fault, so it waits and uses up no attempt. */
export function isPlatformRefusal(code: FailureCode): boolean {
  return code === 'rate_limited' || code === 'sign_in_required' || code === 'quota_exceeded';
}

/** A job that waits longer for a platform fails. A daily quota returns within 25 hours when the clocks change. */
export const MAX_WAIT_MS = 26 * 3_600_000;
/** The same if the operator limits the use of a platform to hours or to a number a day. */
const LIMITED_WAIT_MS = 30 * 24 * 3_600_000;

/** The reason why an activity waits if its circuit breaker is closed. */
export const QUEUED = 'Waiting for a slot: only so many jobs at once may use the platform.';

/** The ID of an activity that uses an upstream. It names the route for workers, the API and operators. */
export function activityIdOf(route: string, count: number): string {
  return `${route}#${count}`;
}

/** @returns the route of an activity; undefined if it uses no upstream */
export function routeIn(activityId: string): string | undefined {
  const end = activityId.lastIndexOf('#');
  return end < 0 ? undefined : activityId.slice(0, end);
}
