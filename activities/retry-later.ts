import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { FailureCode } from '../contract/failures.ts';

/** The type of the failure of an activity that waits. */
export const LATER = 'later';

const DELAYS_SECONDS = [2, 3, 5, 10, 15] as const;
const LAST_DELAY_SECONDS = 30;
/** The maximum delay that an upstream may request. */
const MAX_DELAY_MS = 10 * 60_000;

/**
 * Makes the failure of an activity that polls once per attempt. Temporal waits between the attempts, so a wait of an hour is
 * one activity in the history and survives restarts.
 *
 * @param code the failure of a job that has waited too long
 * @param retryAtMs the earliest time for the next attempt, in milliseconds since the epoch
 */
export function retryLater(code: FailureCode, message: string, retryAtMs?: number): ApplicationFailure {
  const delayMs = (DELAYS_SECONDS[Context.current().info.attempt - 1] ?? LAST_DELAY_SECONDS) * 1000;
  const wantedMs = retryAtMs === undefined ? 0 : retryAtMs - Date.now();
  return later(code, message, Math.min(MAX_DELAY_MS, Math.max(delayMs, wantedMs)));
}

/** Makes the same failure for an activity that waits for another job of this service. The delay grows with the time that it has waited. */
export function retryWhileJobRuns(message: string): ApplicationFailure {
  const waitedMs = Date.now() - Context.current().info.scheduledTimestampMs;
  return later('internal', message, Math.min(LAST_DELAY_SECONDS * 1000, Math.max(1000, waitedMs / 10)));
}

function later(code: FailureCode, message: string, nextRetryDelay: number): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: LATER,
    details: [code],
    nextRetryDelay,
    // Waiting is not logged as an error.
    category: ApplicationFailureCategory.BENIGN,
  });
}
