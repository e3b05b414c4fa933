import type { FailureCode } from '../../contract/failures.ts';
import { MAX_PAUSED_MS, type RouteLimits } from '../../runtime/pacing.ts';

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
  /** Who was let through to see whether the platform answers again. */
  readonly probe?: { readonly turnId: string; readonly sinceMs: number } | undefined;
}

export interface PastPause {
  readonly lengthMs: number;
  readonly endedMs: number;
}

/** A platform that takes us for a robot does not forget that within seconds. */
const SIGN_IN_FIRST_PAUSE_MS = 60_000;

/** A first refusal, or one that soon follows a pause: then the pause was too short. */
export function firstPause(
  refusal: Refusal,
  limits: RouteLimits,
  at: { readonly nowMs: number; readonly past?: PastPause | undefined },
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
export function longerPause(pause: Pause, refusal: Refusal, at: { limits: RouteLimits; nowMs: number }): Pause {
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
export function confirmedPause(pause: Pause, refusal: Refusal, nowMs: number): Pause {
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
