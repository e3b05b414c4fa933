import type { FailureCode } from '../contract/failures.ts';

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

/** A host, and not more: it becomes a part of a workflow's ID. */
export const SITE = /^[\w.:[\]-]{1,260}$/;

/** How hard a route may be used. */
export interface RouteLimits {
  /** Uses at once, by all workers together. */
  readonly maxAtOnce: number;
  /** Uses that may start in a minute; as many as may run at once may start together. */
  readonly startsPerMinute: number;
  /** The pause after a first refusal of the platform; each refusal after it doubles the pause. */
  readonly firstPauseSeconds: number;
  readonly maxPauseSeconds: number;
}

/** An upstream behind one exit, such as `vidnet` or `vidnet-data-api`: what a platform refuses, it refuses to a route. */
export interface Route extends RouteLimits {
  readonly route: string;
}

export interface Routes extends Readonly<Record<PlatformUse, Route>> {
  /** Of each other site: what one of them refuses holds up no other. */
  readonly site: RouteLimits;
}

/** By use the name of its route. */
export type RouteNames = Readonly<Record<PlatformUse, string>>;

export function routeNamesOf(routes: Routes): RouteNames {
  return Object.fromEntries(upstreamUses.map((use) => [use, routes[use].route])) as Record<PlatformUse, string>;
}

export function routeOf(routes: Routes, use: UpstreamUse): Route {
  return isOfSite(use) ? { ...routes.site, route: use } : routes[use];
}

function isOfSite(use: UpstreamUse): use is SiteUse {
  return use.startsWith('site/');
}

/**
 * The platform refuses whoever comes by this route. The job is not at fault: it waits, and uses up no attempt.
 */
const REFUSALS: ReadonlySet<FailureCode> = new Set<FailureCode>(['rate_limited', 'sign_in_required', 'quota_exceeded']);

export function isPlatformRefusal(code: FailureCode): boolean {
  return REFUSALS.has(code);
}

/**
 * So long a job waits for a platform that refuses, then it fails with the refusal: nobody polls for days. A day's quota comes
 * back within 25 hours, when the clocks change.
 */
export const MAX_PAUSED_MS = 26 * 3_600_000;

/** The field of a job's memo that says why it waits; absent while it works. */
export const MEMO_WAITING = 'waiting';

/** Why a job waits: a plain sentence, and the ISO time at which the platform is asked again, if it refuses just now. */
export interface Waiting {
  readonly reason: string;
  readonly until?: string;
}

/** Type of the failure of an activity that came when its route was paused already: it is scheduled again at once. */
export const TURNED_AWAY = 'turned-away';
/** Type of the failure of an activity whose site is busy or refuses: the job waits by itself. */
export const NOT_NOW = 'not-now';
/** What the failures of both types tell beside the reason. */
export interface NotNowDetails {
  /** When it may be its turn, in milliseconds since the epoch. */
  readonly atMs: number;
  /** As what the platform refuses; absent where a turn is all that lacks. */
  readonly code?: FailureCode;
}

/** Why a job waits for its turn without a pause. */
export const QUEUED = 'Waiting for a turn: only so many jobs at once may use the platform.';

/** The id of an activity that uses a platform: whoever looks at a pending one knows its route. */
export function activityIdOf(route: string, count: number): string {
  return `${route}#${String(count)}`;
}

/** @returns the route in the id of an activity; undefined when it uses none */
export function routeIn(activityId: string): string | undefined {
  const end = activityId.lastIndexOf('#');
  return end < 0 ? undefined : activityId.slice(0, end);
}

/** @returns the site in the id of an activity; undefined when it uses none */
export function siteUseOf(activityId: string): SiteUse | undefined {
  const route = routeIn(activityId);
  return route?.startsWith('site/') === true ? (route as SiteUse) : undefined;
}

// Jobs of version 4da8403 ask a limiter workflow for permits, until they have ended.

/**
 * Who requests a permit, which `turnId` names: histories have it under that name. It belongs to one run of a workflow, so that
 * what comes too late for it reaches nobody else.
 */
export interface PermitRequest {
  readonly turnId: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** What waiting jobs are told of a route's pause; `open`: it is over, and permits are granted again. */
export type PauseNotice =
  | { readonly state: 'paused'; readonly code: FailureCode; readonly reason: string; readonly untilMs: number }
  | { readonly state: 'open' };

/** Workflow ID that a route's limiter had. The queue is part of it: services that share a namespace have workers of their own. */
export function limiterIdOf(taskQueue: string, route: string): string {
  return `limiter/${taskQueue}/${route}`;
}
