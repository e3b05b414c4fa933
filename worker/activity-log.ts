import { hostname } from 'node:os';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { FinishedJob } from '../activities/job-records.ts';
import { FAILURE_FAULTS, type FailureCode } from '../contract/failures.ts';
import type { JobResult } from '../contract/download-record.ts';
import { optional } from '../runtime/optional.ts';
import { routeIn } from '../pacing/routes.ts';
import { jobFactsIn, type JobFacts } from '../runtime/telemetry/trace-headers.ts';

/** `later`: it only had to wait, and comes again; `error`: our own fault, and it comes again. */
export type StageOutcome = 'ok' | FailureCode | 'later' | 'error';

/** An attempt at a step of a job, or at one of its webhooks, that has ended. */
export interface Stage extends JobFacts {
  /** The activity, such as `fetchAudio`. */
  readonly stage: string;
  /** The workflow, such as `audio`. */
  readonly kind: string;
  readonly queue: string;
  /** Of a platform, or `site/example.com`; absent where none is used. */
  readonly route: string | undefined;
  readonly downloadId: string | undefined;
  /** ID of the workflow: the subject's, or the webhook's. */
  readonly workflowId: string | undefined;
  readonly attempt: number;
  readonly outcome: StageOutcome;
  /** What the failure says; absent where it succeeded. */
  readonly failure?: string;
  /** Of the files that a job has made; absent where the step does not know. */
  readonly bytes?: number;
  /** From when it could be taken until it was. */
  readonly queuedSeconds: number;
  readonly seconds: number;
  readonly input: unknown;
  readonly result: unknown;
}

/** A message may quote what a program wrote, or a page. */
const MESSAGE_MAX_CHARS = 1_000;
const HOST = hostname();

/** Tells of each attempt when it has ended. The first of the interceptors: it sees what the others refuse. */
export function watchStages(onEnd: (stage: Stage) => void): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const startedMs = performance.now();
        const queuedSeconds = Math.max(0, Date.now() - info.currentAttemptScheduledTimestampMs) / 1000;
        const [first] = input.args;
        const facts = jobFactsIn(input.headers);
        const tell = (outcome: StageOutcome, told: { readonly result?: unknown; readonly failure?: string }): void =>
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
            ...optional('failure', told.failure),
            // What was refused may be anything.
            ...optional('bytes', outcome === 'ok' ? (bytesIn(told.result) ?? bytesIn(resultIn(first))) : undefined),
            queuedSeconds,
            seconds: (performance.now() - startedMs) / 1000,
            input: first,
            result: told.result,
          });
        try {
          const result: unknown = await next(input);
          tell('ok', { result });
          return result;
        } catch (error) {
          tell(outcomeOf(error), { failure: messageOf(error) });
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
  return typeof code === 'string' && code in FAILURE_FAULTS ? (code as FailureCode) : 'error';
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MAX_CHARS);
}

/** The result among what the step is handed that ends the record. */
function resultIn(input: unknown): unknown {
  const { outcome } = (input ?? {}) as Partial<FinishedJob>;
  return outcome?.status === 'success' ? outcome.result : undefined;
}

function bytesIn(result: unknown): number | undefined {
  const { files } = (result ?? {}) as Partial<JobResult>;
  return files?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function downloadIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('recordId' in input)) return undefined;
  return typeof input.recordId === 'string' ? input.recordId : undefined;
}

/** A line for each stage of a job; what waits comes again and again, and is told to whoever asks for details. */
export function logStage(log: Logger, { input: _large, result: _too, ...facts }: Stage, traceId?: string): void {
  log[facts.outcome === 'later' ? 'debug' : 'info'](
    { ...facts, host: HOST, traceId },
    `${facts.stage}: ${facts.outcome}`,
  );
}
