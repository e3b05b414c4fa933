import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { JobOutcome, JobResult } from '../../contract/download-record.ts';
import { failureFor, type Failure } from '../../contract/failures.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { formatMoney } from '../../contract/money.ts';
import { reportedIn } from '../../pacing/retries.ts';
import { routeIn } from '../../pacing/routes.ts';
import { localRecords } from '../activity-proxies.ts';

/** The result of a job's workflow, for operators. A failed workflow has it in the details of its failure. */
export interface JobEnd {
  readonly recordId: string;
  /** `done before`: an earlier job of the subject had just succeeded, and this job has no record. */
  readonly status: 'success' | 'failed' | 'done before';
  /** A decimal string. Only the record of a failed job has its cost, because a job that is cancelled late costs something. */
  readonly cost?: string;
  /** The names of the published files. */
  readonly files?: readonly string[];
  /** The number of webhooks. Each is the workflow `webhook/RECORD-ID/NUMBER`. */
  readonly webhooks?: number;
  /** The code of the failure. */
  readonly code?: string;
}

export function endOf({ recordId, price }: JobInput, outcome: JobOutcome, webhooks: number): JobEnd {
  if (outcome.status === 'failed') return { recordId, status: 'failed', webhooks, code: outcome.failure.code };
  const { charge = price, files = [] } = outcome.result;
  return { recordId, status: 'success', cost: formatMoney(charge), files: files.map(({ name }) => name), webhooks };
}

/** Describes the end of a job in one line for the Web UI. */
export function describeEnd({ status, cost, files = [], webhooks = 0, code }: JobEnd): string {
  const notified = webhooks === 1 ? '1 webhook' : `${webhooks} webhooks`;
  if (code !== undefined) return `Ended: ${status} (${code}), ${notified}.`;
  const published = files.length === 1 ? '1 file' : `${files.length} files`;
  return `Ended: ${status}, cost ${cost ?? '0.000'}, ${published}, ${notified}.`;
}

/** Creates the failure of an upstream, in the form in which activities report it. */
export function upstreamFailure({ code, message }: Failure): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'upstream', nonRetryable: true, details: [code] });
}

/** @returns the outcome of the work, with the cause of a failure */
export async function outcomeOf(
  work: () => Promise<JobResult>,
): Promise<{ readonly outcome: JobOutcome; readonly cause?: TemporalFailure }> {
  try {
    return { outcome: { status: 'success', result: await work() } };
  } catch (cause) {
    // Any other error is a bug: Temporal retries the task, and the job continues after the next deploy.
    if (!(cause instanceof TemporalFailure)) throw cause;
    return { outcome: { status: 'failed', failure: await failureOf(cause) }, cause };
  }
}

async function failureOf(cause: TemporalFailure): Promise<Failure> {
  // The step that was cancelled may have failed otherwise, but the cost of the job must not depend on that.
  if (CancellationScope.current().consideredCancelled || isCancellation(cause)) return failureFor('cancelled');
  const route = routeOfTimeout(cause);
  if (route !== undefined) return localRecords.refusalOf({ route });
  const reported = reportedIn(cause instanceof ActivityFailure ? cause.cause : cause);
  if (reported !== undefined) return { code: reported.code, message: reported.message };
  return failureFor('internal');
}

/**
 * @param details the end of the job
 * @returns the failure of the workflow: the failure of the record instead of that of a single step
 */
export function failureWith(
  cause: TemporalFailure | undefined,
  { code, message }: Failure,
  details: JobEnd,
): TemporalFailure {
  // Temporal distinguishes cancelled workflows from failed ones itself.
  if (cause !== undefined && isCancellation(cause)) return cause;
  return ApplicationFailure.create({
    message,
    type: code,
    nonRetryable: true,
    details: [details],
    ...(cause && { cause }),
  });
}

/** Whether no worker took up an activity within its schedule-to-start timeout. */
export function isUnclaimed(error: unknown): boolean {
  return timeoutOf(error) === 'SCHEDULE_TO_START';
}

/** @returns the route of an activity that has waited for it until its time was over */
export function routeOfTimeout(error: TemporalFailure): string | undefined {
  const isOver = error instanceof ActivityFailure && timeoutOf(error) === 'SCHEDULE_TO_CLOSE';
  return isOver ? routeIn(error.activityId ?? '') : undefined;
}

function timeoutOf(error: unknown) {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure ? cause.timeoutType : undefined;
}
