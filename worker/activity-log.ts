import { hostname } from 'node:os';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { decodeTime } from 'ulid';
import type { FinishedJob } from '../activities/job-records.ts';
import { isFailureCode, type FailureCode } from '../contract/failures.ts';
import type { JobResult } from '../contract/download-record.ts';
import { formatMoney } from '../contract/money.ts';
import { defined, optional } from '../runtime/optional.ts';
import { routeIn } from '../pacing/routes.ts';
import { jobFactsIn } from '../runtime/telemetry/trace-headers.ts';

/** A message may quote the output of a program or a page. */
const MESSAGE_MAX_CHARS = 1_000;
const HOST = hostname();

/** An attempt at an activity of a job, or of one of its webhooks, that has ended. */
export type Stage = ReturnType<typeof stageOf> & {
  /** The time from when a worker could take the task until one took it. */
  readonly queuedSeconds: number;
  readonly seconds: number;
};

interface StageEnd {
  /** `later`: the attempt only waited and is retried. `error`: an internal fault, which is retried as well. */
  readonly outcome: 'ok' | FailureCode | 'later' | 'error';
  readonly result?: unknown;
  /** The message of the failure. */
  readonly failure?: string;
}

function stageOf(info: Info, { args: [first], headers }: ActivityExecuteInput, end: StageEnd) {
  const { outcome, result, failure } = end;
  return {
    ...jobFactsIn(headers),
    stage: info.activityType,
    kind: info.workflowType ?? 'none',
    queue: info.taskQueue,
    /** The route of a platform, or `site/example.com`; undefined for an activity that uses no upstream. */
    route: routeIn(info.activityId),
    downloadId: downloadIn(first),
    /** The ID of the subject or of the delivery. */
    workflowId: info.workflowExecution?.workflowId,
    attempt: info.attempt,
    outcome,
    ...optional('failure', failure),
    // The input of an attempt that did not succeed may be malformed.
    ...optional('bytes', outcome === 'ok' ? (bytesIn(result) ?? bytesIn(first)) : undefined),
    ...(outcome === 'ok' && info.activityType === 'finishJob' && endedJobOf(first as FinishedJob)),
    input: first,
    result,
  };
}

/** Reports each attempt when it has ended. It must be the first interceptor, so that it sees what the others refuse. */
export function watchStages(onEnd: (stage: Stage) => void): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const startedMs = performance.now();
        const queuedSeconds = Math.max(0, Date.now() - info.currentAttemptScheduledTimestampMs) / 1000;
        const report = (end: StageEnd): void => {
          const seconds = (performance.now() - startedMs) / 1000;
          onEnd({ ...stageOf(info, input, end), queuedSeconds, seconds });
        };
        try {
          const result: unknown = await next(input);
          report({ outcome: 'ok', result });
          return result;
        } catch (error) {
          report({ outcome: outcomeOf(error), failure: messageOf(error) });
          throw error;
        }
      },
    },
  });
}

function outcomeOf(error: unknown): StageEnd['outcome'] {
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

/** The end of a job. The charge of a cancelled job is known to its record only. */
function endedJobOf({ recordId, outcome, price }: FinishedJob) {
  const ended = outcome.status === 'failed' ? undefined : outcome.result;
  return defined({
    jobStatus: outcome.status,
    code: outcome.status === 'failed' ? outcome.failure.code : undefined,
    charge: ended && formatMoney(ended.charge ?? price),
    /** The time from the request to the end of the job. */
    jobSeconds: (Date.now() - decodeTime(recordId)) / 1000,
  });
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
