import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { WEBHOOKS_PER_HOST_MAX, WEBHOOKS_PER_JOB_MAX } from '../../contract/limits.ts';
import type { Receiver } from '../../store/receivers.ts';
import type { ApiDeps } from '../deps.ts';
import { subscriberOf } from './own-deliveries.ts';

/** A job that runs. */
interface JoinedJob {
  readonly recordId: string;
  readonly subjectId: string;
  readonly runId: string;
}

/**
 * Adds a webhook to a running job, once: what the job knows already is not signalled again, since each signal grows its
 * history, and a history has an end.
 *
 * @returns false when the job has closed
 * @throws ApiError `too_many_webhooks`, and then nothing was added
 */
export async function subscribe(deps: ApiDeps, job: JoinedJob, webhookUrl: string | undefined): Promise<boolean> {
  if (webhookUrl === undefined) return true;
  if ((await claimPlace(deps, job.recordId, webhookUrl)) === 'told') return true;
  const { recordId, ...run } = job;
  if (!(await deps.jobs.subscribe(run, webhookUrl, subscriberOf(deps.caller)))) return false;
  // After the signal: whoever dies in between is repeated, and signals.
  await deps.receivers.noteTold(recordId, receiverOf(deps, webhookUrl));
  return true;
}

/** Counts the webhook that a job was started with. */
export async function noteFirst(deps: ApiDeps, recordId: string, webhookUrl: string | undefined): Promise<void> {
  if (webhookUrl !== undefined) await deps.receivers.noteTold(recordId, receiverOf(deps, webhookUrl));
}

/** @throws ApiError `too_many_webhooks` */
export async function claimPlace(deps: ApiDeps, recordId: string, webhookUrl: string): Promise<'told' | 'free'> {
  const place = await deps.receivers.claim(recordId, receiverOf(deps, webhookUrl));
  switch (place) {
    case 'told':
    case 'free':
      return place;
    case 'full for the job':
      throw tooMany(`A job is told to ${String(WEBHOOKS_PER_JOB_MAX)} webhooks at most, and this one has as many.`);
    case 'full for the host':
      throw tooMany(`You have ${String(WEBHOOKS_PER_HOST_MAX)} webhooks at this host for this job: that is the most.`);
  }
}

function tooMany(message: string): ApiError {
  return new ApiError('too_many_webhooks', message, { details: [{ path: 'include_webhook', message }] });
}

function receiverOf({ caller }: ApiDeps, url: string): Receiver {
  return { caller: callerIdOf(caller), url };
}

/** @returns who shares what one caller may have of a receiver: callers without a key by their address */
export function callerIdOf(caller: Caller): string {
  return (caller.kind === 'anonymous' ? caller.limitedAs : undefined) ?? subscriberOf(caller);
}
