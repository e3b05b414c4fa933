import type { FailureCode } from '../contract/failures.ts';
import { MAX_PAUSED_MS, type RouteLimits } from './pacing.ts';

/** The platform refused the route. */
export interface Refusal {
  readonly code: FailureCode;
  readonly message: string;
  /** When the platform said that it can be asked again, in milliseconds since the epoch. */
  readonly retryAtMs?: number;
}

/** Nobody is let through until a time, and then one probe alone. */
export interface Pause {
  readonly code: FailureCode;
  readonly reason: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The length that the next one doubles. */
  readonly lengthMs: number;
  readonly refusals: number;
  /** The worker that may let one through, to see whether the platform answers again. */
  readonly probe?: { readonly by: string; readonly sinceMs: number };
}

/** What workers share of a route beside their places: its breaker, and when all its starts will have come back. */
export interface RouteState {
  readonly pause?: Pause;
  readonly pastPause?: { readonly lengthMs: number; readonly endedMs: number };
  /** Pauses so far: tells a refusal that a pause answers already. */
  readonly pauses: number;
  /** When the next start would be due if starts were evenly spaced. */
  readonly dueMs: number;
}

export const QUIET_ROUTE: RouteState = { pauses: 0, dueMs: 0 };

/** A platform that takes us for a robot does not forget that within seconds. */
const SIGN_IN_FIRST_PAUSE_MS = 60_000;

/**
 * The route after a refusal.
 *
 * @param use.pausesBefore pauses of the route when the use that was refused began
 * @param use.isProbe whether it was let through alone
 */
export function refused(
  route: RouteState,
  refusal: Refusal,
  use: {
    readonly limits: RouteLimits;
    readonly nowMs: number;
    readonly pausesBefore: number;
    readonly isProbe: boolean;
  },
): RouteState {
  const { limits, nowMs } = use;
  const { pause, pastPause, pauses } = route;
  if (pause === undefined) {
    // Who started before the last pause says nothing of the time since.
    const past = use.pausesBefore === pauses ? pastPause : undefined;
    return { ...route, pause: firstPause(refusal, limits, { nowMs, past }), pauses: pauses + 1 };
  }
  return {
    ...route,
    pause: use.isProbe ? longerPause(pause, refusal, { limits, nowMs }) : confirmedPause(pause, refusal, nowMs),
  };
}

/** The route after an answer to the probe. */
export function reopened({ pause, ...route }: RouteState, nowMs: number): RouteState {
  if (pause === undefined) return route;
  return { ...route, pastPause: { lengthMs: pause.lengthMs, endedMs: nowMs } };
}

/** The route with its probe in the hands of a worker, if the pause is over and nobody has it. */
export function probedBy(route: RouteState, by: string, nowMs: number): RouteState {
  const { pause } = route;
  if (pause === undefined || pause.probe !== undefined || nowMs < pause.untilMs) return route;
  return { ...route, pause: { ...pause, probe: { by, sinceMs: nowMs } } };
}

/** The route when a worker has learned nothing from its probe, or is gone: the next probe is anybody's. */
export function withoutProbeBy(route: RouteState, by: string): RouteState {
  const { pause } = route;
  if (pause?.probe?.by !== by) return route;
  const { probe: _dropped, ...rest } = pause;
  return { ...route, pause: rest };
}

/** The route as an operator pauses it, whatever it was before: when the time is over one job tries, as after a refusal. */
export function pausedByHand(
  route: RouteState,
  { reason, untilMs, nowMs }: { readonly reason: string; readonly untilMs: number; readonly nowMs: number },
): RouteState {
  const pause: Pause = { code: 'upstream_error', reason, sinceMs: nowMs, untilMs, lengthMs: 0, refusals: 0 };
  return { ...route, pause, pauses: route.pauses + 1 };
}

/** The route as an operator opens it, whoever has paused it. */
export function openedByHand({ pause: _over, pastPause: _past, ...route }: RouteState): RouteState {
  return route;
}

/** A first refusal, or one that soon follows a pause: then the pause was too short. */
function firstPause(
  refusal: Refusal,
  limits: RouteLimits,
  at: { readonly nowMs: number; readonly past: RouteState['pastPause'] },
): Pause {
  const { nowMs, past } = at;
  const isRelapse = past !== undefined && nowMs - past.endedMs < past.lengthMs;
  const lengthMs = clampMs(isRelapse ? 2 * past.lengthMs : leastPauseMs(refusal, limits), limits);
  return {
    code: refusal.code,
    reason: refusal.message,
    sinceMs: nowMs,
    lengthMs,
    refusals: 1,
    untilMs: endMs(refusal, lengthMs, nowMs),
  };
}

/** The probe was refused. */
function longerPause(pause: Pause, refusal: Refusal, at: { limits: RouteLimits; nowMs: number }): Pause {
  const { probe: _refused, ...rest } = pause;
  const lengthMs = clampMs(Math.max(2 * pause.lengthMs, leastPauseMs(refusal, at.limits)), at.limits);
  return {
    ...rest,
    code: refusal.code,
    reason: refusal.message,
    lengthMs,
    refusals: pause.refusals + 1,
    untilMs: endMs(refusal, lengthMs, at.nowMs),
  };
}

/** Who started before the pause was refused too. That is no news, unless the platform named a later time. */
function confirmedPause(pause: Pause, refusal: Refusal, nowMs: number): Pause {
  const untilMs = Math.max(pause.untilMs, endMs(refusal, 0, nowMs));
  return { ...pause, untilMs, refusals: pause.refusals + 1 };
}

function leastPauseMs(refusal: Refusal, limits: RouteLimits): number {
  const firstMs = limits.firstPauseSeconds * 1000;
  return refusal.code === 'sign_in_required' ? Math.max(firstMs, SIGN_IN_FIRST_PAUSE_MS) : firstMs;
}

function clampMs(lengthMs: number, limits: RouteLimits): number {
  return Math.min(lengthMs, limits.maxPauseSeconds * 1000);
}

/** Never earlier than the platform said; a time that no job lives to see is not believed. */
function endMs(refusal: Refusal, lengthMs: number, nowMs: number): number {
  return Math.max(nowMs + lengthMs, Math.min(refusal.retryAtMs ?? 0, nowMs + MAX_PAUSED_MS));
}
