import type { Failure } from '../../contract/failures.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { answerJob, currentJob, type CurrentJob, type RenderJob } from './current-job.ts';
import type { NewJob } from './admission.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTarget } from './subscribers.ts';

/** What all requests for a job have in common. */
export interface JobRequest {
  readonly include_webhook?: string | undefined;
  /** How long to wait for the result, in milliseconds. */
  readonly waitMs: number;
}

/** What a request asks for, before anything is started. */
export type JobPlan = Omit<NewJob, 'webhookUrl'>;

/** What differs from kind to kind of jobs. */
export interface RequestedKind<Request, Body> {
  /** Reads what is asked for. @throws ApiError when it cannot be had */
  readonly plan: (deps: ServiceDeps, request: Request) => JobPlan | Promise<JobPlan>;
  readonly render: RenderJob<Body>;
}

/**
 * @returns the use case of a request for a job: the finished result of what it asks for, or a job for it. A job that runs is
 *   joined, unless the plan says otherwise; of one that fails meanwhile the answer tells the failure. It throws ApiError as
 *   `plan` does, `webhook_target_forbidden`, and as {@link startOrJoin} does.
 */
export function requesting<Request extends JobRequest, Body>(
  kind: RequestedKind<Request, Body>,
): UseCase<Request, Body> {
  const { plan, render } = kind;
  return async (deps, caller, request) => {
    const job = await plan(deps, request);
    const { record } = await startOrJoin(deps, caller, { ...job, webhookUrl: webhookOf(deps, request) });
    // Where jobs that run are refused, this one has just been started, and does nothing yet.
    const isNew = job.isRefusedWhilePending === true && request.waitMs === 0;
    const now = isNew ? { record } : await currentJob(deps, record, request.waitMs);
    return { ...(await answerJob(deps, now, render)), failure: failureOf(now) };
  };
}

/** @returns why a job failed; undefined while it runs, and for a success */
export function failureOf({ record }: CurrentJob): Failure | undefined {
  return record.status === 'failed' ? record.failure : undefined;
}

/** The webhook of a request as a job takes it. @throws ApiError `webhook_target_forbidden` */
export function webhookOf(deps: ServiceDeps, { include_webhook: url }: JobRequest): string | undefined {
  if (url !== undefined) assertWebhookTarget(deps, { url, field: 'include_webhook' });
  return url;
}
