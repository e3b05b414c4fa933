import type { FailureCode } from '../contract/failures.ts';
import { MAX_WAIT_MS, type PauseLimits } from './routes.ts';

/** The platform refused the route. */
export interface Refusal {
  readonly code: FailureCode;
  readonly message: string;
  /** The time that the platform named for the next request, in milliseconds since the epoch. */
  readonly retryAtMs?: number;
}

/**
 * The circuit breaker of a route, as all workers share it. `open`: nothing starts until `untilMs`. `half-open`: one trial runs,
 * which `trialBy` names. `closed`: everything starts. A route without one is closed.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half-open';
  readonly by: 'platform' | 'operator';
  readonly code: FailureCode;
  readonly reason: string;
  /** Refusals in a row. */
  readonly refusals: number;
  readonly sinceMs: number;
  /** The length of the last pause, which the next one doubles. */
  readonly pauseMs: number;
  /** `open`: a trial may start. `half-open`: another trial may start. `closed`: a refusal before this time doubles the pause. */
  readonly untilMs: number;
  /** From when this was written to `untilMs`: no reader waits longer, whatever its clock says. */
  readonly spanMs: number;
  /** Empty while no trial runs. */
  readonly trialBy: string;
}

/** A platform that takes the service for a robot does not forget that within seconds. */
const SIGN_IN_FIRST_PAUSE_MS = 60_000;
/** A trial that runs for so long without a refusal has succeeded: a platform that refuses does so within seconds. */
export const TRIAL_TRUST_MS = 60_000;
/** The worker of a trial that has not ended by then is gone. */
const TRIAL_LEASE_MS = TRIAL_TRUST_MS + 30_000;

/** How long the state lasts, in milliseconds from now; 0 when its time is over. */
export function remainingMs({ untilMs, spanMs }: Breaker, nowMs: number): number {
  return Math.min(Math.max(untilMs - nowMs, 0), spanMs);
}

export interface RefusedUse {
  readonly limits: PauseLimits;
  readonly nowMs: number;
  /** Of the trial, if it was one. */
  readonly trialId: string | undefined;
  /** Whether the breaker has changed since the use began: the refusal is then no sign that the last pause was too short. */
  readonly isOutdated: boolean;
}

/** The breaker after a refusal of the platform. */
export function refused(before: Breaker | undefined, refusal: Refusal, use: RefusedUse): Breaker {
  const { limits, nowMs } = use;
  const namedMs = Math.min((refusal.retryAtMs ?? 0) - nowMs, MAX_WAIT_MS);
  const isTrial = before?.state === 'half-open' && before.trialBy === use.trialId;
  if (before !== undefined && before.state !== 'closed' && !isTrial) {
    // The use began before the breaker opened. Only a later time that the platform names is news.
    if (before.state !== 'open' || namedMs <= remainingMs(before, nowMs)) return before;
    return { ...before, untilMs: nowMs + namedMs, spanMs: namedMs };
  }
  const isRelapse = before?.state === 'closed' && !use.isOutdated && remainingMs(before, nowMs) > 0;
  const firstMs = limits.firstPauseSeconds * 1000;
  const leastMs = refusal.code === 'sign_in_required' ? Math.max(firstMs, SIGN_IN_FIRST_PAUSE_MS) : firstMs;
  const doubledMs = isTrial || isRelapse ? 2 * before.pauseMs : 0;
  const pauseMs = Math.min(Math.max(doubledMs, leastMs), limits.maxPauseSeconds * 1000);
  const spanMs = Math.max(pauseMs, namedMs);
  return {
    ...{ state: 'open', by: 'platform', code: refusal.code, reason: refusal.message },
    ...{ refusals: (isTrial ? before.refusals : 0) + 1, sinceMs: isTrial ? before.sinceMs : nowMs },
    ...{ pauseMs, untilMs: nowMs + spanMs, spanMs, trialBy: '' },
  };
}

/** The breaker with a trial under way. */
export function halfOpened(before: Breaker, trialBy: string, nowMs: number): Breaker {
  return { ...before, state: 'half-open', trialBy, untilMs: nowMs + TRIAL_LEASE_MS, spanMs: TRIAL_LEASE_MS };
}

/** The breaker after its trial: closed by an answer of the platform; else open, so that the next task is a trial. */
export function afterTrial(before: Breaker | undefined, trialId: string, at: { isAnswered: boolean; nowMs: number }) {
  if (before?.trialBy !== trialId) return before;
  const spanMs = at.isAnswered ? before.pauseMs : 0;
  return {
    ...before,
    state: at.isAnswered ? 'closed' : 'open',
    untilMs: at.nowMs + spanMs,
    spanMs,
    trialBy: '',
  } as const;
}

/** A breaker that an operator opens for a time. One trial goes through afterwards, as after a refusal. */
export function openedByOperator(reason: string, { spanMs, nowMs }: { spanMs: number; nowMs: number }): Breaker {
  return {
    ...{ state: 'open', by: 'operator', code: 'upstream_error', reason, refusals: 0 },
    ...{ sinceMs: nowMs, pauseMs: 0, untilMs: nowMs + spanMs, spanMs, trialBy: '' },
  };
}

/** A breaker that an operator closes, whatever it was. */
export function closedByOperator(before: Breaker, nowMs: number): Breaker {
  return { ...before, state: 'closed', pauseMs: 0, untilMs: nowMs, spanMs: 0, trialBy: '' };
}
