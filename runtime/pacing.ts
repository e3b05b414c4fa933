import { z } from 'zod';
import { FAILURE_FAULTS, type FailureCode } from '../contract/failures.ts';
import { epochMsSchema, workflowIdSchema } from './inputs/parts.ts';

export const failureCodeSchema = z.enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]]);

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
export const siteSchema = z.string().regex(/^[\w.:[\]-]{1,260}$/);
export const upstreamUseSchema = z.union([z.enum(upstreamUses), z.templateLiteral(['site/', siteSchema])]);

/** Thirty years: times that are made of it are still times. */
const pauseSchema = z.number().min(0).max(1e9);

/** How hard a route may be used. */
export const limitsSchema = z.object({
  /** Uses at once, by all workers together. */
  maxAtOnce: z.int().min(1),
  /** Uses that may start in a minute; as many as may run at once may start together. */
  startsPerMinute: z.number().min(0.001),
  /** The pause after a first refusal of the platform; each refusal after it doubles the pause. */
  firstPauseSeconds: pauseSchema,
  maxPauseSeconds: pauseSchema,
});
export type RouteLimits = z.infer<typeof limitsSchema>;

/** An upstream behind one exit, such as `vidnet` or `vidnet-data-api`: what a platform refuses, it refuses to a route. */
export interface Route extends RouteLimits {
  readonly route: string;
}

export interface Routes extends Readonly<Record<PlatformUse, Route>> {
  /** Of each other site: what one of them refuses holds up no other. */
  readonly site: RouteLimits;
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
 * Waits of a job, all pauses of all routes together, after which it fails with the refusal: nobody polls for days. A day's
 * quota comes back within 25 hours, when the clocks change.
 */
export const MAX_PAUSED_MS = 26 * 3_600_000;

/**
 * Who requests a permit, which `turnId` names: histories have it under that name. It belongs to one run of a workflow, so that
 * what comes too late for it reaches nobody else.
 */
export const permitRequestSchema = z.object({
  turnId: z.string().min(1).max(100),
  workflowId: workflowIdSchema,
  runId: z.string().max(100),
});
export type PermitRequest = z.infer<typeof permitRequestSchema>;

/** What waiting jobs are told of a route's pause; `open`: it is over, and permits are granted again. */
export const noticeSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('paused'), code: failureCodeSchema, reason: z.string(), untilMs: epochMsSchema }),
  z.object({ state: z.literal('open') }),
]);
export type PauseNotice = z.infer<typeof noticeSchema>;

/** The field of a job's memo that says why it waits; absent while it works. */
export const MEMO_WAITING = 'waiting';

/** Why a job waits: a plain sentence, and the ISO time at which the platform is asked again, if it refuses just now. */
export interface Waiting {
  readonly reason: string;
  readonly until?: string;
}

/** Workflow ID of a route's limiter. The queue is part of it: services that share a namespace have workers of their own. */
export function limiterIdOf(taskQueue: string, route: string): string {
  return `limiter/${taskQueue}/${route}`;
}
