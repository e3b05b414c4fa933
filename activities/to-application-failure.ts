import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURE_FAULTS, type FailureCode, type Fault } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { diskFull, isDiskFull } from '../store/files/free-space.ts';

/**
 * What crosses from an activity to its workflow: the fault is the failure's `type`, its details are the code and, if the
 * platform told it, the time (milliseconds since the epoch) before which it need not be asked again.
 *
 * The subject's and the upstream's faults are final for the activity: the workflow decides what follows. Anything else
 * (a database that is away, a bug) keeps the activity's retry policy.
 */
export function toApplicationFailure(error: JobError): ApplicationFailure {
  const fault: Fault = FAILURE_FAULTS[error.code];
  return ApplicationFailure.create({
    message: error.message,
    type: fault,
    nonRetryable: true,
    details: [error.code satisfies FailureCode, ...(error.retryAtMs === undefined ? [] : [error.retryAtMs])],
    // A private video is no news for whoever watches the logs and metrics of the workers.
    ...(fault === 'subject' ? { category: ApplicationFailureCategory.BENIGN } : {}),
    ...(error.cause instanceof Error ? { cause: error.cause } : {}),
  });
}

/** Runs an activity's body; a {@link JobError}, or a full disk, leaves it as the failure that workflows understand. */
export async function classifyFailures<Result>(body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof JobError) throw toApplicationFailure(error);
    throw isDiskFull(error) ? toApplicationFailure(diskFull(error)) : error;
  }
}
