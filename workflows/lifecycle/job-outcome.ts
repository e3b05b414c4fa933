import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
  type TemporalFailure,
} from '@temporalio/workflow';
import { failureFor, isFailureCode, type Failure } from '../../contract/failures.ts';
import { routeIn } from '../../pacing/routes.ts';

/** The failure of a job whose upstream did not deliver, in the form in which activities report it. */
export function upstreamFailure(failure: Failure): ApplicationFailure {
  return ApplicationFailure.create({
    message: failure.message,
    type: 'upstream',
    nonRetryable: true,
    details: [failure.code],
  });
}

/** Why the work of a job ended in an exception, as its record will tell it. */
export function failureOf(error: unknown): Failure {
  if (isCancellation(error)) return failureFor('cancelled');
  return reportedFailure(error) ?? failureFor('internal');
}

/**
 * The end of a failed job as its workflow tells it: what its record says, and not the step in which that came up.
 *
 * @param details what came of the job
 */
export function failureWith(cause: TemporalFailure, failure: Failure, details: object): TemporalFailure {
  // Temporal itself tells jobs that were cancelled from those that failed.
  if (isCancellation(cause)) return cause;
  const { message, code } = failure;
  return ApplicationFailure.create({ message, type: code, nonRetryable: true, details: [details], cause });
}

/** Whether nobody took an activity up in the time that it had for that. */
export function isUntaken(error: unknown): boolean {
  const { cause } = error instanceof ActivityFailure ? error : {};
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** The route of an activity that has waited for it for as long as it may. */
export function routeOfTimeout(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return undefined;
  return error.cause.timeoutType === 'SCHEDULE_TO_CLOSE' ? routeIn(error.activityId ?? '') : undefined;
}

/** What an activity said by its failure: see activities/to-application-failure.ts. */
function reportedFailure(error: unknown): Failure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const code: unknown = cause.details?.[0];
  return isFailureCode(code) ? { code, message: cause.message } : undefined;
}
