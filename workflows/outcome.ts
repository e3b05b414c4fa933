import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { FAILURE_FAULTS, type Failure, type FailureCode, type Fault } from '../contract/failures.ts';

/** Why the work of a job ended in an exception, as its record will tell it. */
export function failureOf(error: unknown): Failure {
  if (isCancellation(error)) return { code: 'cancelled', message: 'The job was cancelled by an operator.' };
  const failure = applicationFailureIn(error);
  const code = failure?.details?.[0];
  if (failure !== undefined && isFailureCode(code)) return { code, message: failure.message };
  return { code: 'internal', message: 'The service could not do its part of the work.' };
}

/** Whose fault a failed activity was, if it said so. */
export function faultOf(error: unknown): Fault | undefined {
  const code = applicationFailureIn(error)?.details?.[0];
  return isFailureCode(code) ? FAILURE_FAULTS[code] : undefined;
}

function applicationFailureIn(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? cause : undefined;
}

function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && code in FAILURE_FAULTS;
}
