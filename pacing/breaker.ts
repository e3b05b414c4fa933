import type { FailureCode } from '../contract/failures.ts';
import { MAX_WAIT_MS, type PauseLimits } from './routes.ts';

export interface Refusal {
  readonly code: FailureCode;
  readonly message: string;
  /** The time that the platform named for the next request, in milliseconds since the epoch. */
  readonly retryAtMs?: number;
}

/**
 * The circuit breaker of a route, which all workers share. Closed: activities run. Open: none starts until `untilMs`.
 * Half-open: one trial runs. A route without a breaker is closed.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'half-open';
  readonly by: 'platform' | 'operator';
  readonly code: FailureCode;
  readonly reason: string;
  /** Consecutive refusals. */
  readonly refusals: number;
  readonly sinceMs: number;
  /** The length of the last pause. The next one is twice as long. */
  readonly pauseMs: number;
  /** `open`: a trial may start. `half-open`: another trial may start. `closed`: a refusal before this time doubles the pause. */
  readonly untilMs: number;
  /** The time from the last change to `untilMs`. No reader waits longer, even if its clock is wrong. */
  readonly spanMs: number;
  /** The ID of the running trial; empty if none runs. */
  readonly trialBy: string;
}

/** A platform that mistakes the service for a robot does not change its mind within seconds. */
const SIGN_IN_FIRST_PAUSE_MS = 60_000;
/** A platform refuses within seconds, so a trial that runs for this long has succeeded. */
export const TRIAL_TRUST_MS = 60_000;
/** If a trial has not ended by then, its worker is gone. */
const TRIAL_LEASE_MS = TRIAL_TRUST_MS + 30_000;

export function remainingMs({ untilMs, spanMs }: Breaker, nowMs: number): number {
  return Math.min(Math.max(untilMs - nowMs, 0), spanMs);
}

const endingIn = (spanMs: number, nowMs: number) => ({ untilMs: nowMs + spanMs, spanMs });

interface RefusedUse {
  readonly limits: PauseLimits;
  readonly nowMs: number;
  /** Set if the use was a trial. */
  readonly trialId: string | undefined;
  /** Whether the breaker has changed since the use began. The refusal does not show then that the last pause was too short. */
  readonly isOutdated: boolean;
}

export function refused(before: Breaker | undefined, refusal: Refusal, use: RefusedUse): Breaker {
  const { code, message, retryAtMs = 0 } = refusal;
  const { limits, nowMs, trialId, isOutdated } = use;
  const namedMs = Math.min(retryAtMs - nowMs, MAX_WAIT_MS);
  const isTrial = before?.state === 'half-open' && before.trialBy === trialId;
  if (before !== undefined && before.state !== 'closed' && !isTrial) {
    // The use began before the breaker opened, so only a later time that the platform names is news.
    const isLater = before.state === 'open' && namedMs > remainingMs(before, nowMs);
    return isLater ? { ...before, ...endingIn(namedMs, nowMs) } : before;
  }
  const isRelapse = before?.state === 'closed' && !isOutdated && remainingMs(before, nowMs) > 0;
  const firstMs = limits.firstPauseSeconds * 1000;
  const leastMs = code === 'sign_in_required' ? Math.max(firstMs, SIGN_IN_FIRST_PAUSE_MS) : firstMs;
  const doubledMs = isTrial || isRelapse ? 2 * before.pauseMs : 0;
  const pauseMs = Math.min(Math.max(doubledMs, leastMs), limits.maxPauseSeconds * 1000);
  return {
    state: 'open',
    by: 'platform',
    code,
    reason: message,
    refusals: (isTrial ? before.refusals : 0) + 1,
    sinceMs: isTrial ? before.sinceMs : nowMs,
    pauseMs,
    ...endingIn(Math.max(pauseMs, namedMs), nowMs),
    trialBy: '',
  };
}

export function halfOpened(before: Breaker, trialBy: string, nowMs: number): Breaker {
  return { ...before, state: 'half-open', trialBy, ...endingIn(TRIAL_LEASE_MS, nowMs) };
}

/** Closes the breaker if the platform answered. Otherwise the next task is the trial. */
export function afterTrial(before: Breaker, isAnswered: boolean, nowMs: number): Breaker {
  const end = endingIn(isAnswered ? before.pauseMs : 0, nowMs);
  return { ...before, state: isAnswered ? 'closed' : 'open', trialBy: '', ...end };
}

export function openedByOperator(reason: string, { spanMs, nowMs }: { spanMs: number; nowMs: number }): Breaker {
  const opened = { state: 'open', by: 'operator', code: 'upstream_error', reason } as const;
  return { ...opened, refusals: 0, sinceMs: nowMs, pauseMs: 0, ...endingIn(spanMs, nowMs), trialBy: '' };
}

export function closedByOperator(before: Breaker, nowMs: number): Breaker {
  return { ...before, state: 'closed', pauseMs: 0, ...endingIn(0, nowMs) };
}

export const DAY_MS = 86_400_000;

/** @returns the circuit breaker of a route outside its hours, open until they begin; undefined within them */
export function outsideHours(hours: string, nowMs: number): Breaker | undefined {
  const [from = 0, to = 0] = hours.split('-').map((time) => Date.parse(`1970-01-01T${time}Z`));
  const spanMs = (from - to + DAY_MS) % DAY_MS;
  const passedMs = (nowMs - to) % DAY_MS;
  if (passedMs >= spanMs) return undefined;
  return openedByOperator(`The operator allows the use of this platform only during ${hours} (UTC).`, {
    ...{ spanMs, nowMs: nowMs - passedMs },
  });
}

/** @returns the circuit breaker of a route whose starts of the day are used up, open until midnight */
export function usedUp(startsPerDay: number, nowMs: number): Breaker {
  const reason = `The operator allows ${startsPerDay} requests a day (UTC) to this platform, which are used up.`;
  return openedByOperator(reason, { spanMs: DAY_MS - (nowMs % DAY_MS), nowMs });
}
