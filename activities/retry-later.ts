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
  return ApplicationFailure.create({
    message,
    type: LATER,
    details: [code],
    nextRetryDelay: Math.min(MAX_DELAY_MS, Math.max(delayMs, wantedMs)),
    // Waiting is not logged as an error.
    category: ApplicationFailureCategory.BENIGN,
  });
}
