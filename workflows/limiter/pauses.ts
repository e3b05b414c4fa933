import { z } from 'zod';
import { countSchema, epochMsSchema } from '../../runtime/inputs/parts.ts';
import { failureCodeSchema, MAX_PAUSED_MS, permitRequestSchema, type RouteLimits } from '../../runtime/pacing.ts';

/** The platform refused the route. */
export const refusalSchema = z.object({
  code: failureCodeSchema,
  message: z.string(),
  /** When the platform said that it can be asked again, in milliseconds since the epoch. */
  retryAtMs: epochMsSchema.exactOptional(),
});
export type Refusal = z.infer<typeof refusalSchema>;

/** Nobody is let through until a time, and then one probe alone. */
export const pauseSchema = z.object({
  code: failureCodeSchema,
  reason: z.string(),
  sinceMs: epochMsSchema,
  untilMs: epochMsSchema,
  /** The length that the next one doubles. */
  lengthMs: epochMsSchema,
  refusals: countSchema,
  /** Who was let through to see whether the platform answers again. */
  probe: z.object({ turnId: permitRequestSchema.shape.turnId, sinceMs: epochMsSchema }).optional(),
});
export type Pause = z.infer<typeof pauseSchema>;

export const pastPauseSchema = z.object({ lengthMs: epochMsSchema, endedMs: epochMsSchema });
type PastPause = z.infer<typeof pastPauseSchema>;

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
