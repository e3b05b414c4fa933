import type { FailureCode } from '../contract/failures.ts';
import type { WorkerRole } from '../runtime/temporal/worker-roles.ts';

/** What jobs use of the upstreams. The configuration says by which route each goes. */
export const upstreamUses = [
  'vidnet-page',
  'vidnet-listing',
  'vidnet-comments',
  'imgnet-dataset',
  'imgnet-media',
] as const;
type PlatformUse = (typeof upstreamUses)[number];
/** A page of a site that is none of the platforms, by its host: `site/example.com`. */
export type SiteUse = `site/${string}`;
export type UpstreamUse = PlatformUse | SiteUse;

/** How long the circuit breaker of a route stays open. */
export interface PauseLimits {
  /** The pause after a first refusal of the platform; a refused trial doubles it. */
  readonly firstPauseSeconds: number;
  readonly maxPauseSeconds: number;
}

/** An upstream behind one exit, such as `vidnet` or `vidnet-data-api`: what a platform refuses, it refuses to a route. */
export interface Route extends PauseLimits {
  readonly route: string;
  /** Activities of the route that one worker runs at once. */
  readonly maxAtOnce: number;
  /** Activities of the route that may start in a minute, on all workers together. */
  readonly startsPerMinute: number;
}

export interface Routes extends Readonly<Record<PlatformUse, Route>> {
  /** Each other site has a circuit breaker of its own. */
  readonly site: PauseLimits;
}

/** By use the name of its route. */
export type RouteNames = Readonly<Record<PlatformUse, string>>;

export function routeNamesOf(routes: Routes): RouteNames {
  return Object.fromEntries(upstreamUses.map((use) => [use, routes[use].route])) as Record<PlatformUse, string>;
}

/** The routes that a worker of these roles serves, each once. */
export function routesOfRoles(routes: Routes, roles: readonly WorkerRole[]): readonly Route[] {
  const used = upstreamUses.filter((use) => roles.includes(use.startsWith('vidnet-') ? 'vidnet' : 'imgnet'));
  return [...new Map(used.map((use) => [routes[use].route, routes[use]])).values()];
}

/** The platform refuses whoever comes by this route. The job is not at fault: it waits, and uses up no attempt. */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>(['rate_limited', 'sign_in_required', 'quota_exceeded']);

export function isPlatformRefusal(code: string): boolean {
  return REFUSALS.has(code);
}

/**
 * A job whose platform refuses for so long fails with the refusal. A day's quota comes back within 25 hours, when the clocks
 * change.
 */
export const MAX_WAIT_MS = 26 * 3_600_000;

/** Why a job waits: a plain sentence, and the ISO time at which it may go on, where that is known. */
export interface Waiting {
  readonly reason: string;
  readonly until?: string;
}

/** Why an activity waits that is held up by no circuit breaker. */
export const QUEUED = 'Waiting for a slot: only so many jobs at once may use the platform.';

/** The id of an activity that uses an upstream names its route, so that workers, the API and operators can read it. */
export function activityIdOf(route: string, count: number): string {
  return `${route}#${String(count)}`;
}

/** @returns the route in the id of an activity; undefined when it uses none */
export function routeIn(activityId: string): string | undefined {
  const end = activityId.lastIndexOf('#');
  return end < 0 ? undefined : activityId.slice(0, end);
}
