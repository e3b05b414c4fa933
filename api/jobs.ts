import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { z } from 'zod';
import { ApiError } from '../contract/errors.ts';
import { progressStages, type JobInput } from '../contract/jobs.ts';
import type { Progress } from '../contract/results.ts';
import { searchAttributesOf } from '../temporal/search-attributes.ts';
import type * as workflows from '../workflows/index.ts';

const RPC_DEADLINE_MS = 5_000;
const PROGRESS_DEADLINE_MS = 1_000;
/** The memo holds the whole input, so that whoever meets the running job can write its record too. */
const MEMO_JOB = 'job';

type JobWorkflows = Omit<typeof workflows, 'deliverWebhook'>;

/** `gone`: no workflow will end the record; `unknown`: Temporal gave no answer within a second. */
export type JobView =
  { readonly state: 'running'; readonly progress: Progress | undefined } | { readonly state: 'gone' | 'unknown' };

export interface JobGateway {
  /** Starts the job's workflow. @returns the input of the job that runs already, if one does */
  start(workflow: keyof JobWorkflows, input: JobInput): Promise<'started' | 'closed' | { readonly running: JobInput }>;
  /** Whether the job of a record runs, and what its activity last reported. */
  look(job: { subjectId: string; recordId: string }): Promise<JobView>;
  /** Resolves when the subject's workflow has closed, or after the given time. */
  waitFor(subjectId: string, timeoutMs: number): Promise<void>;
  ping(): Promise<void>;
}

/** Jobs as Temporal workflows: one per subject, the workflow ID the subject's. */
export function createJobGateway(client: Client, taskQueue: string): JobGateway {
  const within = <Result>(timeoutMs: number, call: () => Promise<Result>): Promise<Result> =>
    client.connection.withDeadline(Date.now() + timeoutMs, call);
  return {
    async start(workflow, input) {
      const { webhookUrl: _private, ...job } = input;
      try {
        await within(RPC_DEADLINE_MS, () =>
          client.workflow.start<JobWorkflows[typeof workflow]>(workflow, {
            workflowId: input.subjectId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            taskQueue,
            args: [input],
            memo: { [MEMO_JOB]: job },
            typedSearchAttributes: searchAttributesOf(input),
            staticSummary: `${input.type} of ${input.mediaId}`,
            staticDetails: `Download ${input.recordId}`,
          }),
        );
        return 'started';
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw unavailable(error);
      }
      try {
        const { status, memo } = await within(RPC_DEADLINE_MS, () =>
          client.workflow.getHandle(input.subjectId).describe(),
        );
        return status.name === 'RUNNING' ? { running: jobIn(memo) } : 'closed';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'closed';
        throw unavailable(error);
      }
    },

    async look({ subjectId, recordId }) {
      try {
        const { status, memo, raw } = await within(PROGRESS_DEADLINE_MS, () =>
          client.workflow.getHandle(subjectId).describe(),
        );
        if (status.name !== 'RUNNING' || jobIn(memo).recordId !== recordId) return { state: 'gone' };
        const pending = raw.pendingActivities ?? [];
        // The file is published; its record is about to say so.
        if (pending.some((activity) => activity.activityType?.name === 'finishJob')) {
          return { state: 'running', progress: { stage: 'publishing' } };
        }
        const beat = pending.find((activity) => Boolean(activity.heartbeatDetails));
        const data = beat?.heartbeatDetails?.payloads?.[0]?.data;
        const progress: unknown = data ? JSON.parse(new TextDecoder().decode(data)) : undefined;
        return { state: 'running', progress: toProgress(progress ?? { stage: 'waiting' }) };
      } catch (error) {
        return { state: error instanceof WorkflowNotFoundError ? 'gone' : 'unknown' };
      }
    },

    async waitFor(subjectId, timeoutMs) {
      try {
        await within(timeoutMs, () => client.workflow.getHandle(subjectId).result());
      } catch {
        // Failed, cancelled, gone or too late: the record tells which.
      }
    },

    async ping() {
      await within(PROGRESS_DEADLINE_MS, () => client.workflowService.getSystemInfo({}));
    },
  };
}

const beatSchema = z.object({
  stage: z.enum(progressStages),
  percent: z.number().optional(),
  bytes: z.number().optional(),
  totalBytes: z.number().optional(),
});

function toProgress(beat: unknown): Progress | undefined {
  const parsed = beatSchema.safeParse(beat);
  if (!parsed.success) return undefined;
  const { stage, percent, bytes, totalBytes } = parsed.data;
  return {
    stage,
    ...(percent === undefined ? {} : { percent }),
    ...(bytes === undefined ? {} : { downloaded_bytes: bytes }),
    ...(totalBytes === undefined ? {} : { total_bytes: totalBytes }),
  };
}

/** The memo is our own: nobody else starts workflows with these IDs. */
function jobIn(memo: Record<string, unknown> | undefined): JobInput {
  return memo?.[MEMO_JOB] as JobInput;
}

/** gRPC codes of a server that is away or too busy: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const AWAY = new Set([1, 4, 8, 14]);

/** What a caller may wait out is told as such; anything else (a wrong namespace, a bug) stays what it is. */
function unavailable(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause) || !AWAY.has(cause.code)) return error;
  return new ApiError('unavailable', 'The job engine (Temporal) cannot be reached. Try again soon.', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
