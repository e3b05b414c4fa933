import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURE_FAULTS, isFailureCode, type FailureCode } from '../contract/failures.ts';
import { isPlatformRefusal } from './routes.ts';

/** Waits between the attempts at an upstream that fails; it recovers within minutes or not at all. */
export const UPSTREAM_DELAYS_SECONDS = [2, 10, 30, 60] as const;
/** The same for a server of the operator's choice, which has no circuit breaker. */
export const SPEECH_DELAYS_SECONDS = [2, 10, 30, 60, 120, 300, 300] as const;
/** A server that names a later time than this is not waited for. */
const MAX_NAMED_MS = 3_600_000;
/** Space that another job frees is soon taken up; what an operator must free takes longer. The last one is repeated. */
const SPACE_DELAYS_SECONDS = [10, 30, 60, 120, 300] as const;
/** Together they are half a day. */
const MAX_SPACE_WAITS = 148;
/** Attempts that ended with the death of a worker or with a fault of the service. */
const MAX_OWN_FAULTS = 30;

/**
 * What an activity's earlier attempts have used up. Temporal counts all attempts alike, so the activity counts its own, and hands
 * the counts on in the details of its heartbeats, which outlive a worker.
 */
export interface RetryState {
  /** Attempts that only waited: for a circuit breaker, a slot, or data. */
  readonly waits: number;
  readonly upstreamFaults: number;
  readonly spaceWaits: number;
}

/** @param heartbeat the details of the last heartbeat of the attempt before */
export function retryStateIn(heartbeat: unknown): RetryState {
  const { retry } = (heartbeat ?? {}) as { readonly retry?: Partial<RetryState> };
  return { waits: 0, upstreamFaults: 0, spaceWaits: 0, ...retry };
}

/** Whether an activity has failed so often by faults of the service that it is given up. */
export function isGivenUp(attempt: number, { waits, upstreamFaults, spaceWaits }: RetryState): boolean {
  return attempt - waits - upstreamFaults - spaceWaits > MAX_OWN_FAULTS;
}

/** A failure, and what the next attempt needs to know. */
export interface Retry {
  readonly failure: unknown;
  readonly state: RetryState;
}

export interface RetryOptions {
  readonly delaysSeconds: readonly number[];
  /** How long the circuit breaker holds up the route, if the activity has one. */
  readonly pauseMs?: number | undefined;
}

/** Decides when an activity that failed may run again. Other faults of the service keep the activity's retry policy. */
export function retryOf(error: unknown, state: RetryState, { delaysSeconds, pauseMs }: RetryOptions): Retry {
  if (!(error instanceof ApplicationFailure)) return { failure: error, state };
  const [code, retryAtMs] = (error.details ?? []) as readonly unknown[];
  if (error.nonRetryable !== true) {
    const isWait = error.category === ApplicationFailureCategory.BENIGN;
    return { failure: error, state: isWait ? { ...state, waits: state.waits + 1 } : state };
  }
  if (!isFailureCode(code) || error.type !== FAILURE_FAULTS[code]) return { failure: error, state };
  if (pauseMs !== undefined && isPlatformRefusal(code))
    return { failure: retryIn(error, pauseMs), state: { ...state, waits: state.waits + 1 } };
  if (code === 'disk_full' && state.spaceWaits < MAX_SPACE_WAITS) {
    const seconds = SPACE_DELAYS_SECONDS[state.spaceWaits] ?? SPACE_DELAYS_SECONDS.at(-1) ?? 0;
    return { failure: retryIn(error, seconds * 1000), state: { ...state, spaceWaits: state.spaceWaits + 1 } };
  }
  const seconds = delaysSeconds[state.upstreamFaults];
  if (FAILURE_FAULTS[code] !== 'upstream' || seconds === undefined) return { failure: error, state };
  const namedMs = typeof retryAtMs === 'number' ? Math.min(retryAtMs - Date.now(), MAX_NAMED_MS) : 0;
  return {
    failure: retryIn(error, Math.max(seconds * 1000, namedMs)),
    state: { ...state, upstreamFaults: state.upstreamFaults + 1 },
  };
}

/** A failure of an attempt that did not begin its work. It belongs into no log and no alarm. */
export function waitFailure(code: FailureCode, reason: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    ...{ message: reason, type: 'waiting', details: [code], nextRetryDelay: Math.ceil(delayMs) },
    category: ApplicationFailureCategory.BENIGN,
  });
}

function retryIn({ message, type, details, category, cause }: ApplicationFailure, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    ...{ message, nextRetryDelay: Math.ceil(delayMs), details: details ?? [] },
    ...{ ...(type && { type }), ...(category && { category }), ...(cause && { cause }) },
  });
}
