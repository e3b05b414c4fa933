import { hostname } from 'node:os';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { decodeTime } from 'ulid';
import type { FinishedJob } from '../activities/job-records.ts';
import { isFailureCode, type FailureCode } from '../contract/failures.ts';
import type { JobOutcome, JobResult } from '../contract/download-record.ts';
import { formatMoney } from '../contract/money.ts';
import { optional } from '../runtime/optional.ts';
import { routeIn } from '../pacing/routes.ts';
import { jobFactsIn, type JobFacts } from '../runtime/telemetry/trace-headers.ts';

/** `later`: the attempt only waited and is retried. `error`: an internal fault, which is retried as well. */
export type StageOutcome = 'ok' | FailureCode | 'later' | 'error';

/** The end of a job, which the line of its successful `finishJob` contains. */
interface EndedJob {
  readonly jobStatus: JobOutcome['status'];
  /** The failure code; absent for a success. */
  readonly code?: FailureCode;
  /** The charge of a success, as a decimal string. The charge of a cancelled job is known to its record only. */
  readonly charge?: string;
  /** The time from the request to the end of the job. */
  readonly jobSeconds: number;
}

/** An attempt at an activity of a job, or of one of its webhooks, that has ended. */
export interface Stage extends JobFacts, Partial<EndedJob> {
  /** The activity, such as `fetchAudio`. */
  readonly stage: string;
  /** The workflow, such as `audio`. */
  readonly kind: string;
  readonly queue: string;
  /** The route of a platform, or `site/example.com`; undefined for an activity that uses no upstream. */
  readonly route: string | undefined;
  readonly downloadId: string | undefined;
  /** The workflow ID: the ID of the subject or of the delivery. */
  readonly workflowId: string | undefined;
  readonly attempt: number;
  readonly outcome: StageOutcome;
  /** The message of the failure; absent after a success. */
  readonly failure?: string;
  /** The size of the files of the job; absent when the activity does not know it. */
  readonly bytes?: number;
  /** The time from when a worker could take the task until one took it. */
  readonly queuedSeconds: number;
  readonly seconds: number;
  readonly input: unknown;
  readonly result: unknown;
}

/** A message may quote the output of a program or a page. */
const MESSAGE_MAX_CHARS = 1_000;
const HOST = hostname();

/** Reports each attempt when it has ended. It must be the first interceptor, so that it sees what the others refuse. */
export function watchStages(onEnd: (stage: Stage) => void): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const startedMs = performance.now();
        const queuedSeconds = Math.max(0, Date.now() - info.currentAttemptScheduledTimestampMs) / 1000;
        const [first] = input.args;
        const facts = jobFactsIn(input.headers);
        const report = (
          outcome: StageOutcome,
          { result, failure }: { readonly result?: unknown; readonly failure?: string },
        ): void =>
          onEnd({
            ...facts,
            stage: info.activityType,
            kind: info.workflowType ?? 'none',
            queue: info.taskQueue,
            route: routeIn(info.activityId),
            downloadId: downloadIn(first),
            workflowId: info.workflowExecution?.workflowId,
            attempt: info.attempt,
            outcome,
            ...optional('failure', failure),
            // The input of an attempt that did not succeed may be malformed.
            ...optional('bytes', outcome === 'ok' ? (bytesIn(result) ?? bytesIn(first)) : undefined),
            ...(outcome === 'ok' && info.activityType === 'finishJob' ? endedJobOf(first as FinishedJob) : {}),
            queuedSeconds,
            seconds: (performance.now() - startedMs) / 1000,
            input: first,
            result,
          });
        try {
          const result: unknown = await next(input);
          report('ok', { result });
          return result;
        } catch (error) {
          report(outcomeOf(error), { failure: messageOf(error) });
          throw error;
        }
      },
    },
  });
}

function outcomeOf(error: unknown): StageOutcome {
  if (error instanceof CancelledFailure) return 'cancelled';
  if (!(error instanceof ApplicationFailure)) return 'error';
  const isBenign = error.category === ApplicationFailureCategory.BENIGN;
  if (isBenign && error.type !== 'subject') return 'later';
  const code: unknown = error.details?.[0];
  return isFailureCode(code) ? code : 'error';
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MAX_CHARS);
}

function endedJobOf({ recordId, outcome, price }: FinishedJob): EndedJob {
  const jobSeconds = (Date.now() - decodeTime(recordId)) / 1000;
  if (outcome.status === 'failed') return { jobStatus: 'failed', code: outcome.failure.code, jobSeconds };
  return { jobStatus: 'success', charge: formatMoney(outcome.result.charge ?? price), jobSeconds };
}

/** @param ofJob the result of an activity, or of the job that `finishJob` ends */
function bytesIn(ofJob: unknown): number | undefined {
  const { files, outcome } = (ofJob ?? {}) as Partial<JobResult & FinishedJob>;
  if (outcome?.status === 'success') return bytesIn(outcome.result);
  return files?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function downloadIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('recordId' in input)) return undefined;
  return typeof input.recordId === 'string' ? input.recordId : undefined;
}

/** Writes one line for each attempt. Attempts that only waited are frequent, so their lines have the level `debug`. */
export function logStage(log: Logger, { input: _input, result: _result, ...facts }: Stage, traceId?: string): void {
  log[facts.outcome === 'later' ? 'debug' : 'info'](
    { ...facts, host: HOST, traceId },
    `${facts.stage}: ${facts.outcome}`,
  );
}
