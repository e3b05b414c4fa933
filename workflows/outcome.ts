import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
  type TemporalFailure,
} from '@temporalio/workflow';
import { FAILURE_FAULTS, type Failure, type FailureCode, type Fault } from '../contract/failures.ts';
import { isPlatformRefusal } from '../runtime/pacing.ts';
import type { Refusal } from '../runtime/pauses.ts';

/** The end of a job that was asked to stop. */
export const CANCELLED: Failure = { code: 'cancelled', message: 'The job was cancelled.' };

/** What the upstream did not do, told as activities tell it. */
export function upstreamFailure(code: FailureCode, message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'upstream', nonRetryable: true, details: [code] });
}

/** Why the work of a job ended in an exception, as its record will tell it. */
export function failureOf(error: unknown): Failure {
  if (isCancellation(error)) return CANCELLED;
  return (
    toldFailureIn(error)?.failure ?? { code: 'internal', message: 'The service could not do its part of the work.' }
  );
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

/** Whose fault a failed activity was, if it said so. */
export function faultOf(error: unknown): Fault | undefined {
  const code = toldFailureIn(error)?.failure.code;
  return code === undefined ? undefined : FAILURE_FAULTS[code];
}

/** The platform's refusal of our route, if that is what failed an activity. */
export function refusalOf(error: unknown): Refusal | undefined {
  const told = toldFailureIn(error);
  if (told === undefined || !isPlatformRefusal(told.failure.code)) return undefined;
  const { failure, retryAtMs } = told;
  return { ...failure, ...(typeof retryAtMs === 'number' ? { retryAtMs } : {}) };
}

/** Whether nobody took an activity up in the time that it had for that. */
export function isUntaken(error: unknown): boolean {
  const { cause } = error instanceof ActivityFailure ? error : {};
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** The time, in milliseconds since the epoch, before which a failed activity need not be tried again, if it said so. */
export function retryAtMsOf(error: unknown): number | undefined {
  const retryAtMs = toldFailureIn(error)?.retryAtMs;
  return typeof retryAtMs === 'number' ? retryAtMs : undefined;
}

/** What an activity said by its failure: see activities/failures.ts. */
function toldFailureIn(error: unknown): { readonly failure: Failure; readonly retryAtMs: unknown } | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const code: unknown = cause.details?.[0];
  return isFailureCode(code) ? { failure: { code, message: cause.message }, retryAtMs: cause.details?.[1] } : undefined;
}

function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && code in FAILURE_FAULTS;
}
