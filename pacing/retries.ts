import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURE_FAULTS, isFailureCode } from '../contract/failures.ts';
import type { Refusal } from './breaker.ts';
import { isPlatformRefusal } from './routes.ts';

/** Delays between the attempts at an upstream that fails. It recovers within minutes or not at all. */
export const UPSTREAM_DELAYS_SECONDS = [2, 10, 30, 60] as const;
/** The same for the operator's speech server, which has no circuit breaker. */
export const SPEECH_DELAYS_SECONDS = [2, 10, 30, 60, 120, 300, 300] as const;
/** The longest delay that an upstream may name. */
const MAX_NAMED_MS = 3_600_000;
/** Delays while the disk is full. Space that another job frees is soon used; an operator takes longer. */
const SPACE_DELAYS_SECONDS = [10, 30, 60, 120] as const;
const LONGEST_SPACE_DELAY_SECONDS = 300;
/** Half a day in total. */
const MAX_SPACE_WAITS = 148;
/** The number of attempts that may end with the death of a worker or a fault of the service. */
export const MAX_OWN_FAULTS = 30;

/**
 * Counts of an activity's earlier attempts. Temporal counts all attempts alike, so the activity keeps its own counts in the
 * details of its heartbeats, which outlive a worker.
 */
export interface RetryState {
  /** Attempts that only waited: for a circuit breaker, a slot, or data. */
  readonly waits: number;
  readonly upstreamFaults: number;
  readonly spaceWaits: number;
}

/** @param heartbeat the details of the previous attempt's last heartbeat */
export function retryStateIn(heartbeat: unknown): RetryState {
  const { retry } = (heartbeat ?? {}) as { readonly retry?: Partial<RetryState> };
  return { waits: 0, upstreamFaults: 0, spaceWaits: 0, ...retry };
}

/** @returns what an activity reports by its failure (see activities/to-application-failure.ts); undefined for any other error */
export function reportedIn(error: unknown): Refusal | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  const [code, retryAtMs] = (error.details ?? []) as readonly unknown[];
  if (!isFailureCode(code)) return undefined;
  return { code, message: error.message, ...(typeof retryAtMs === 'number' && { retryAtMs }) };
}

/**
 * Decides when a failed activity runs again. All other failures keep the activity's retry policy.
 *
 * @param options.pauseMs the wait for the activity's circuit breaker, if it has one
 * @returns the failure to throw, and the counts for the next attempt
 */
export function retryOf(
  error: unknown,
  state: RetryState,
  { delaysSeconds, pauseMs }: { readonly delaysSeconds: readonly number[]; readonly pauseMs: number | undefined },
) {
  const unchanged = { failure: error, state };
  if (!(error instanceof ApplicationFailure)) return unchanged;
  const counted = (count: keyof RetryState): RetryState => ({ ...state, [count]: state[count] + 1 });
  const { message, type, details, cause, category } = error;
  if (error.nonRetryable !== true)
    return category === ApplicationFailureCategory.BENIGN ? { failure: error, state: counted('waits') } : unchanged;
  const retry = (count: keyof RetryState, delayMs: number) => ({
    failure: new ApplicationFailure(message, type, false, details, cause, Math.ceil(delayMs), category),
    state: counted(count),
  });
  const reported = reportedIn(error);
  if (reported === undefined) return unchanged;
  const { code, retryAtMs = 0 } = reported;
  if (pauseMs !== undefined && isPlatformRefusal(code)) return retry('waits', pauseMs);
  if (code === 'disk_full' && state.spaceWaits < MAX_SPACE_WAITS)
    return retry('spaceWaits', 1000 * (SPACE_DELAYS_SECONDS[state.spaceWaits] ?? LONGEST_SPACE_DELAY_SECONDS));
  const seconds = delaysSeconds[state.upstreamFaults];
  if (FAILURE_FAULTS[code] !== 'upstream' || seconds === undefined) return unchanged;
  return retry('upstreamFaults', Math.max(seconds * 1000, Math.min(retryAtMs - Date.now(), MAX_NAMED_MS)));
}
