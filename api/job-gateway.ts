import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { NamespaceNotFoundError, type Payload } from '@temporalio/common';
import { ApiError } from '../contract/http/api-error.ts';
import { BATCH_PRIORITY } from '../contract/batches/batch-state.ts';
import { jobSchema } from '../contract/kinds/job-inputs.ts';
import { MEMO_JOB, type JobInput } from '../contract/job-input.ts';
import type { Progress } from '../contract/http/fields.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { optional } from '../runtime/optional.ts';
import { createRecentCache } from '../runtime/recent-cache.ts';
import { MEMO_REQUEST } from '../runtime/telemetry/trace-headers.ts';
import { searchAttributesOf } from '../runtime/temporal/visibility.ts';
import { beginSignal, subscribeSignal } from '../workflows/lifecycle/messages.ts';
import type { JobWorkflow } from '../contract/kinds/kinds.ts';
import { awaitedJobIn, progressOf } from './job-progress.ts';
import { isLaterTask, isWaiting, waitingOf } from './pending-tasks.ts';

const RPC_DEADLINE_MS = 5_000;
const PROGRESS_DEADLINE_MS = 1_000;
/** Polls of a job within this time share one call of Temporal. */
const STATUS_KNOWN_MS = 1_000;
/** Longer than the server waits for a workflow before it answers that it still runs. */
const LONG_POLL_MS = 60_000;
/** Single requests are `normal`, the default of Temporal, and batches `bulk`. */
const PRIORITY_KEYS = { interactive: 2, normal: 3, bulk: BATCH_PRIORITY } as const;
/** A transcript waits for speaker labels, and these for their audio. */
const MAX_AWAITED = 2;
const FOREIGN = 'A workflow that this service has not started has the ID of this subject. An operator must end it.';

/** A running job: its input, without the webhook, which is part of the record, and its run ID. */
export interface RunningJob {
  readonly running: Omit<JobInput, 'webhookUrl'>;
  readonly runId: string;
}

/** `gone`: no workflow will end the record; `unknown`: Temporal gave no answer in time. */
type JobStatus =
  { readonly state: 'running'; readonly progress: Progress | undefined } | { readonly state: 'gone' | 'unknown' };

interface SubjectRecord {
  readonly subjectId: string;
  readonly recordId: string;
}
interface SubjectRun {
  readonly subjectId: string;
  readonly runId?: string;
}
interface StartOptions {
  readonly requestId?: string;
  readonly delayMs?: number;
}

export type JobGateway = ReturnType<typeof createJobGateway>;

/** Jobs as Temporal workflows: one per subject, whose ID is the Workflow ID. @param breakers say why activities wait */
export function createJobGateway(client: Client, taskQueue: string, breakers: Breakers) {
  const statuses = createRecentCache<Promise<JobStatus>>({ keptMs: STATUS_KNOWN_MS, most: 10_000 });
  const within = <Result>(timeoutMs: number, call: () => Promise<Result>): Promise<Result> =>
    client.connection.withDeadline(Date.now() + timeoutMs, call);
  const running = async (subjectId: string): Promise<'closed' | RunningJob> => {
    try {
      const { status, memo, runId } = await within(RPC_DEADLINE_MS, () =>
        client.workflow.getHandle(subjectId).describe(),
      );
      if (status.name !== 'RUNNING') return 'closed';
      const job = jobIn(memo);
      if (job === undefined) throw new ApiError('unavailable', FOREIGN, { retryAfterSeconds: 60 });
      return { running: job, runId };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'closed';
      throw unavailable(error);
    }
  };
  const readStatus = async ({ subjectId, recordId }: SubjectRecord, depth = 0): Promise<JobStatus> => {
    try {
      const { status, memo, raw } = await within(PROGRESS_DEADLINE_MS, () =>
        client.workflow.getHandle(subjectId).describe(),
      );
      if (status.name !== 'RUNNING' || jobIn(memo)?.recordId !== recordId) return { state: 'gone' };
      const awaited = awaitedJobIn(memo);
      if (awaited !== undefined && depth < MAX_AWAITED) {
        // Its stages are those of this job, too.
        const other = await readStatus(awaited, depth + 1);
        if (other.state === 'running' && other.progress !== undefined) return other;
      }
      const pending = raw.pendingActivities ?? [];
      const activities = await Promise.all(
        pending
          .filter((activity) => !isWaiting(activity))
          .map(async ({ activityType, heartbeatDetails }) => ({
            name: activityType?.name ?? undefined,
            heartbeat: await reported(client, heartbeatDetails?.payloads?.[0]),
          })),
      );
      const queued = await waitingOf(client, pending, breakers);
      const isBetween = pending.length === 0 && isLaterTask(raw);
      return { state: 'running', progress: progressOf({ memo, activities, queued, isBetween }) };
    } catch (error) {
      return { state: error instanceof WorkflowNotFoundError ? 'gone' : 'unknown' };
    }
  };
  return {
    running,

    /** Starts the job's workflow. @returns the running job of the subject, if there is one */
    async start(
      workflow: JobWorkflow,
      input: JobInput,
      { requestId, delayMs = 0 }: StartOptions = {},
    ): Promise<'started' | 'closed' | RunningJob> {
      const { webhookUrl: _private, ...job } = input;
      try {
        await within(RPC_DEADLINE_MS, () =>
          // The use cases pair each workflow with parameters of its type.
          client.workflow.start<(input: JobInput) => Promise<void>>(workflow, {
            workflowId: input.subjectId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            ...(delayMs > 0 ? { startDelay: delayMs } : {}),
            taskQueue,
            args: [input],
            // The activities of a job and its webhooks inherit the priority.
            priority: { priorityKey: PRIORITY_KEYS[priorityOf(input)] },
            memo: { [MEMO_JOB]: job, ...optional(MEMO_REQUEST, requestId) },
            typedSearchAttributes: searchAttributesOf(input),
            staticSummary: `${input.type} of ${input.mediaId}`,
            staticDetails: `Download ${input.recordId}`,
          }),
        );
        return 'started';
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw unavailable(error);
      }
      return running(input.subjectId);
    },

    /** Adds a webhook to a running job. @returns false when it has closed */
    subscribe: (
      { subjectId, runId }: SubjectRun & { readonly runId: string },
      webhookUrl: string,
      subscribedBy: string,
    ) =>
      unlessClosed(client, () =>
        client.workflow.getHandle(subjectId, runId).signal(subscribeSignal, webhookUrl, subscribedBy),
      ),

    /** Begins a running job that waits for a later time. @returns false when it has closed */
    begin: ({ subjectId, runId }: SubjectRun & { readonly runId: string }) =>
      unlessClosed(client, () => client.workflow.getHandle(subjectId, runId).signal(beginSignal)),

    /** Cancels the job of a record. @returns false when it does not run */
    cancel: ({ subjectId, recordId }: SubjectRecord) =>
      unlessClosed(client, async () => {
        const { status, memo, runId } = await client.workflow.getHandle(subjectId).describe();
        // A later job of the subject must not be cancelled.
        if (status.name !== 'RUNNING' || jobIn(memo)?.recordId !== recordId) return false;
        await client.workflow.getHandle(subjectId, runId).cancel();
        return true;
      }),

    /** @param maxAgeMs the age of a known status that is good enough */
    status: (job: SubjectRecord, maxAgeMs = STATUS_KNOWN_MS): Promise<JobStatus> =>
      statuses.get(job.recordId, maxAgeMs) ?? statuses.keep(job.recordId, readStatus(job)),

    /** Waits until the run of a subject has closed, or the current run if none is given, until the timeout or until the signal. */
    async waitFor({ subjectId, runId }: SubjectRun, timeoutMs: number, signal?: AbortSignal): Promise<void> {
      if (signal?.aborted === true) return;
      // The SDK leaves its listeners behind, and the signal may live as long as the process.
      const own = startDeadline({ signal, timeoutMs });
      try {
        // The server would answer at once, again and again, if it knew that the deadline is near.
        await client.connection.withAbortSignal(own.signal, () =>
          within(timeoutMs + LONG_POLL_MS, () =>
            client.workflow.getHandle(subjectId, runId, { followRuns: runId === undefined }).result(),
          ),
        );
      } catch {
        // The workflow failed, was cancelled, is gone or did not close in time: the record shows which.
      } finally {
        own.end();
      }
    },

    async ping(): Promise<void> {
      await within(PROGRESS_DEADLINE_MS, () => client.workflowService.getSystemInfo({}));
    },
  };
}

function priorityOf({ order, batchId }: JobInput): keyof typeof PRIORITY_KEYS {
  return order?.priority ?? (batchId === undefined ? 'normal' : 'bulk');
}

/** Calls Temporal. @returns false when a workflow has closed, or runs already, or the call returned false; true otherwise */
export async function unlessClosed(client: Client, call: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call)) !== false;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw unavailable(error);
  }
}

async function reported({ options }: Client, payload: Payload | null | undefined): Promise<unknown> {
  if (!payload) return undefined;
  const { payloadCodecs, payloadConverter } = options.loadedDataConverter;
  let payloads = [payload];
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads);
  return payloads[0] && payloadConverter.fromPayload(payloads[0]);
}

/** @returns undefined for a workflow that this service has not started, which is possible for every client of Temporal */
function jobIn(memo: Record<string, unknown> | undefined): JobInput | undefined {
  const job = memo?.[MEMO_JOB];
  return jobSchema.safeParse(job).success ? (job as JobInput) : undefined;
}

/**
 * gRPC codes of a server that is unreachable, too busy or broken: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED,
 * INTERNAL (also a stream that was reset), UNAVAILABLE.
 */
const AWAY = new Set([1, 2, 4, 8, 10, 13, 14]);

/** @returns `unavailable` for an error that a retry may resolve; other errors, such as an invalid request, unchanged */
export function unavailable(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  // The namespace existed at the start: a server whose database is too slow does not find it for a while.
  const isAway = cause instanceof NamespaceNotFoundError || (isGrpcServiceError(cause) && AWAY.has(cause.code));
  if (!isAway) return error;
  return new ApiError('unavailable', 'The job engine (Temporal) cannot be reached. Try again soon.', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
