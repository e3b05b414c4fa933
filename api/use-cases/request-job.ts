import type { Caller } from '../../contract/http/account-schemas.ts';
import type { JobOrder } from '../../contract/job-input.ts';
import type { Failure } from '../../contract/failures.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { DownloadRecord, RecordType } from '../../contract/download-record.ts';
import type { ResultOf } from '../../contract/kinds/kinds.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, UseCase } from '../operations/operation.ts';
import { answerJob, currentJob, renderJob, type CurrentJob, type RenderJob } from './current-job.ts';
import type { NewJob } from './admission.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';

const NOT_BEFORE_MAX_MS = 30 * 24 * 3_600_000;

export interface JobRequest {
  readonly include_webhook?: string | undefined;
  readonly keep_days?: number | undefined;
  readonly priority?: JobOrder['priority'] | undefined;
  readonly not_before?: string | undefined;
  readonly waitMs: number;
}

/** The job that a request needs, without its webhook. */
export type JobPlan<Type extends RecordType = RecordType> = NewJob & { readonly type: Type };

/**
 * @returns the use case of a request for a job. It answers with the finished result of the subject or with a job for it; a
 *   running job is joined unless the plan forbids that. It throws the errors of `plan` and {@link startOrJoin}, and ApiError
 *   `webhook_target_forbidden`.
 */
export function requesting<Request, Type extends RecordType>(
  plan: (deps: ServiceDeps, request: Request & JobRequest, caller: Caller) => JobPlan<Type> | Promise<JobPlan<Type>>,
  // The type of the record determines the type of the result.
  render = renderJob as RenderJob<ResultOf<Type>>,
): UseCase<Request & JobRequest, ResultOf<Type>> {
  return async (deps, caller, request) => {
    const job = await plan(deps, request, caller);
    assertWebhookTargets(deps, request);
    const { record } = await startOrJoin(deps, caller, { ...job, ...orderOf(request) });
    // If running jobs are refused, this job has just been started, so its state needs no read.
    if (job.isRefusedWhilePending === true && request.waitMs === 0 && record.status !== 'failed')
      return answerJob(deps, { record }, render);
    return answerRequest(deps, { record, waitMs: request.waitMs, render });
  };
}

/** Answers a request with the job that was started, joined or reused. */
export async function answerRequest<Body>(
  deps: ServiceDeps,
  { record, waitMs, render }: { readonly record: DownloadRecord; readonly waitMs: number; render: RenderJob<Body> },
): Promise<Answer<Body>> {
  const now = await currentJob(deps, record, waitMs);
  return { ...(await answerJob(deps, now, render)), failure: failureOf(now) };
}

export function failureOf({ record }: CurrentJob): Failure | undefined {
  return record.status === 'failed' ? record.failure : undefined;
}

export function orderOf(request: Partial<JobRequest>): Pick<NewJob, 'webhookUrl' | 'order'> {
  const { include_webhook: webhookUrl, keep_days: keepDays, priority, not_before: time } = request;
  if (keepDays === 0 && webhookUrl === undefined) throw invalidField('keep_days', '0 needs include_webhook');
  const notBefore = time === undefined ? undefined : new Date(time);
  if (notBefore !== undefined && notBefore.getTime() > Date.now() + NOT_BEFORE_MAX_MS) {
    throw invalidField('not_before', 'must be within 30 days');
  }
  return { webhookUrl, order: { keepDays, priority, notBefore: notBefore?.toISOString() } };
}
