import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { NamespaceNotFoundError, type Payload } from '@temporalio/common';
import { ApiError } from '../contract/http/api-error.ts';
import { jobSchema } from '../runtime/inputs/job-input-schemas.ts';
import { MEMO_JOB, type JobInput } from '../contract/job-input.ts';
import type { Progress } from '../contract/http/fields.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { optional } from '../runtime/optional.ts';
import { MEMO_REQUEST } from '../runtime/telemetry/trace-headers.ts';
import { searchAttributesOf } from '../runtime/temporal/visibility.ts';
import { subscribeSignal } from '../workflows/lifecycle/messages.ts';
import type { JobWorkflow } from '../contract/kinds/kinds.ts';
import { progressOf } from './job-progress.ts';
import { isLaterTask, isWaiting, waitingOf } from './pending-tasks.ts';

const RPC_DEADLINE_MS = 5_000;
const PROGRESS_DEADLINE_MS = 1_000;
/** Longer than the server waits for a workflow before it answers that it still runs. */
const LONG_POLL_MS = 60_000;
const FOREIGN = 'A workflow that this service has not started has the id of this subject. An operator must end it.';

/** A job that runs already: its input but for the webhook, which its record has, and which run of the subject's workflow it is. */
export interface RunningJob {
  readonly running: Omit<JobInput, 'webhookUrl'>;
  readonly runId: string;
}

/** `gone`: no workflow will end the record; `unknown`: Temporal gave no answer within a second. */
export type JobStatus =
  { readonly state: 'running'; readonly progress: Progress | undefined } | { readonly state: 'gone' | 'unknown' };

export interface StartOptions {
  readonly requestId?: string;
  readonly delayMs?: number;
}

export interface JobGateway {
  /**
   * Starts the job's workflow.
   *
   * @param how.requestId of the request that asks for it, for the log lines of the workers
   * @param how.delayMs until workers get it, in milliseconds
   * @returns the input of the job that runs already, if one does
   */
  start(workflow: JobWorkflow, input: JobInput, how?: StartOptions): Promise<'started' | 'closed' | RunningJob>;
  /** @returns the job of a subject that runs, without starting one */
  running(subjectId: string): Promise<'closed' | RunningJob>;
  /** Adds a webhook to a running job. @returns false when it has closed */
  subscribe(job: { subjectId: string; runId: string }, webhookUrl: string, subscribedBy: string): Promise<boolean>;
  /** Asks the job of a record to stop. @returns false when it does not run any more */
  cancel(job: { subjectId: string; recordId: string }): Promise<boolean>;
  /** Whether the job of a record runs, and what its activity last reported. */
  status(job: { subjectId: string; recordId: string }): Promise<JobStatus>;
  /**
   * Resolves when the subject's workflow has closed, after the given time, or when the signal is aborted. Without a run it is
   * the one that runs then.
   */
  waitFor(job: { subjectId: string; runId?: string }, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  ping(): Promise<void>;
}

/**
 * Jobs as Temporal workflows: one per subject, the workflow ID the subject's.
 *
 * @param breakers tell why activities of a route wait
 */
export function createJobGateway(client: Client, taskQueue: string, breakers: Breakers): JobGateway {
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
  return {
    running,
    async start(workflow, input, { requestId, delayMs = 0 } = {}) {
      const { webhookUrl: _private, ...job } = input;
      try {
        await within(RPC_DEADLINE_MS, () =>
          // Each workflow takes the parameters of its own type; the use cases pair them.
          client.workflow.start<(input: JobInput) => Promise<void>>(workflow, {
            workflowId: input.subjectId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            ...(delayMs > 0 ? { startDelay: delayMs } : {}),
            taskQueue,
            args: [input],
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

    subscribe: ({ subjectId, runId }, webhookUrl, subscribedBy) =>
      unlessClosed(() =>
        within(RPC_DEADLINE_MS, () =>
          client.workflow.getHandle(subjectId, runId).signal(subscribeSignal, webhookUrl, subscribedBy),
        ),
      ),

    cancel: ({ subjectId, recordId }) =>
      unlessClosed(() =>
        within(RPC_DEADLINE_MS, async () => {
          const { status, memo, runId } = await client.workflow.getHandle(subjectId).describe();
          // A later job of the subject is not the one that was meant.
          if (status.name !== 'RUNNING' || jobIn(memo)?.recordId !== recordId) return false;
          await client.workflow.getHandle(subjectId, runId).cancel();
          return true;
        }),
      ),

    async status({ subjectId, recordId }) {
      try {
        const { status, memo, raw } = await within(PROGRESS_DEADLINE_MS, () =>
          client.workflow.getHandle(subjectId).describe(),
        );
        if (status.name !== 'RUNNING' || jobIn(memo)?.recordId !== recordId) return { state: 'gone' };
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
    },

    async waitFor({ subjectId, runId }, timeoutMs, signal) {
      if (signal?.aborted === true) return;
      // The SDK leaves its listeners behind, and the signal may live as long as the process.
      const own = startDeadline({ signal, timeoutMs });
      try {
        // Told that the time is nearly over, the server answers at once, and would be asked again and again.
        await client.connection.withAbortSignal(own.signal, () =>
          within(timeoutMs + LONG_POLL_MS, () =>
            client.workflow.getHandle(subjectId, runId, { followRuns: runId === undefined }).result(),
          ),
        );
      } catch {
        // Failed, cancelled, gone or too late: the record tells which.
      } finally {
        own.end();
      }
    },

    async ping() {
      await within(PROGRESS_DEADLINE_MS, () => client.workflowService.getSystemInfo({}));
    },
  };
}

/** @returns false when the workflow has closed; what the call returns otherwise, true if that is nothing */
async function unlessClosed(call: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await call()) !== false;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw unavailable(error);
  }
}

/** @returns what an activity reported; undefined when it has not reported yet */
async function reported({ options }: Client, payload: Payload | null | undefined): Promise<unknown> {
  if (!payload) return undefined;
  const { payloadCodecs, payloadConverter } = options.loadedDataConverter;
  let payloads = [payload];
  for (const codec of payloadCodecs) payloads = await codec.decode(payloads);
  return payloads[0] && payloadConverter.fromPayload(payloads[0]);
}

/** @returns undefined for a workflow that was started by hand: whoever reaches Temporal can do that under any ID */
function jobIn(memo: Record<string, unknown> | undefined): JobInput | undefined {
  const job = memo?.[MEMO_JOB];
  return jobSchema.safeParse(job).success ? (job as JobInput) : undefined;
}

/**
 * gRPC codes of a server that is away, too busy or broken: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED,
 * INTERNAL (also a stream that was reset), UNAVAILABLE.
 */
const AWAY = new Set([1, 2, 4, 8, 10, 13, 14]);

/** What a caller may wait out is told as such; anything else, such as a request of ours that is wrong, stays what it is. */
export function unavailable(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  // The namespace was there when we started: a server whose database is too slow does not find it for a while.
  const isAway = cause instanceof NamespaceNotFoundError || (isGrpcServiceError(cause) && AWAY.has(cause.code));
  if (!isAway) return error;
  return new ApiError('unavailable', 'The job engine (Temporal) cannot be reached. Try again soon.', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
