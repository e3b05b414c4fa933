import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { FailureCode } from '../contract/failures.ts';

/** Type of the failure of an activity that only has to wait. */
export const LATER = 'later';

/** Most answers come within seconds; a list of thousands takes up to an hour. */
const DELAYS_SECONDS = [2, 3, 5, 10, 15] as const;
const LAST_DELAY_SECONDS = 30;
/** Longest wait that an upstream may ask for. */
const MAX_DELAY_MS = 10 * 60_000;

/**
 * What an activity throws that polls once an attempt: Temporal waits, so a wait of an hour is one activity in the history,
 * and survives every restart.
 *
 * @param code what a job fails with that has waited too long
 * @param retryAtMs epoch, milliseconds; before it there is no use in asking
 */
export function retryLater(code: FailureCode, message: string, retryAtMs?: number): ApplicationFailure {
  const delayMs = (DELAYS_SECONDS[Context.current().info.attempt - 1] ?? LAST_DELAY_SECONDS) * 1000;
  const wantedMs = retryAtMs === undefined ? 0 : retryAtMs - Date.now();
  return ApplicationFailure.create({
    message,
    type: LATER,
    details: [code],
    nextRetryDelay: Math.min(MAX_DELAY_MS, Math.max(delayMs, wantedMs)),
    // Waiting is no failure: it belongs into no log and no alarm.
    category: ApplicationFailureCategory.BENIGN,
  });
}
