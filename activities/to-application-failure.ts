import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURE_FAULTS, type FailureCode, type Fault } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { diskFull, isDiskFull } from '../store/files/free-space.ts';

/**
 * Converts the failure of a job for Temporal. The `type` is the fault; the details are the code and the time (milliseconds
 * since the epoch) before which the upstream rejects a retry, if it named one.
 *
 * These failures are final for the retry policy; the interceptor in pacing/ decides about retries. Other errors, such as an
 * unreachable database or a bug, keep the activity's retry policy.
 */
export function toApplicationFailure(error: JobError): ApplicationFailure {
  const fault: Fault = FAILURE_FAULTS[error.code];
  return ApplicationFailure.create({
    message: error.message,
    type: fault,
    nonRetryable: true,
    details: [error.code satisfies FailureCode, ...(error.retryAtMs === undefined ? [] : [error.retryAtMs])],
    // A fault of the subject, such as a private video, is not an error of the worker.
    ...(fault === 'subject' ? { category: ApplicationFailureCategory.BENIGN } : {}),
    ...(error.cause instanceof Error ? { cause: error.cause } : {}),
  });
}

/** Runs an activity's body and converts a {@link JobError} or a full disk into the failure that workflows read. */
export async function classifyFailures<Result>(body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof JobError) throw toApplicationFailure(error);
    throw isDiskFull(error) ? toApplicationFailure(diskFull(error)) : error;
  }
}
