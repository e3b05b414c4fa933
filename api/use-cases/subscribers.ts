import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { WEBHOOKS_PER_HOST_MAX, WEBHOOKS_PER_JOB_MAX } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { WITHOUT_KEY } from '../../contract/webhooks.ts';
import { checkTarget } from '../../outbound/targets.ts';
import type { Receiver } from '../../store/receivers.ts';
import type { ServiceDeps } from '../deps.ts';

/** What somebody wants to be told of. */
interface Subscription {
  readonly recordId: string;
  /** Absent where nobody is to be told. */
  readonly webhookUrl: string | undefined;
}

/** The webhook that a job was started with, which it knows; `startedBy` tells who shares its place. */
type StartedWith = Pick<DownloadRecord, 'webhookUrl' | 'startedBy'>;

/** @returns how jobs and webhooks tell who has asked for them: the id of a key, `service`, or {@link WITHOUT_KEY} */
export function subscriberOf(caller: Caller): string {
  switch (caller.kind) {
    case 'key':
      return caller.key.id;
    case 'service':
      return 'service';
    case 'anonymous':
      return WITHOUT_KEY;
  }
}

/** @returns who shares what one caller may have of a receiver: callers without a key by their address */
export function callerIdOf(caller: Caller): string {
  return (caller.kind === 'anonymous' ? caller.limitedAs : undefined) ?? subscriberOf(caller);
}

interface Target {
  readonly url: string;
  /** Of the request that has the URL. */
  readonly field: string;
  /** What the error tells besides. */
  readonly fieldsOf?: (reason: string) => Readonly<Record<string, string | number>>;
}

/**
 * Refuses what can be refused by its text alone; names are judged when they are resolved, at each request.
 *
 * @throws ApiError `webhook_target_forbidden`
 */
export function assertWebhookTarget(deps: ServiceDeps, { url, field, fieldsOf = () => ({}) }: Target): void {
  const verdict = checkTarget(url, deps.webhookAllowedNetworks);
  if (verdict.ok) return;
  const details = [{ path: field, message: verdict.reason }];
  throw new ApiError('webhook_target_forbidden', verdict.reason, { details, fields: fieldsOf(verdict.reason) });
}

/**
 * Adds a webhook to a running job, once: what the job knows already is not signalled again, since each signal grows its
 * history, and a history has an end.
 *
 * @returns false when the job has closed
 * @throws ApiError `too_many_webhooks`, and then nothing was added
 */
export async function subscribe(
  deps: ServiceDeps,
  caller: Caller,
  {
    recordId,
    webhookUrl,
    startedWith,
    ...run
  }: Subscription & { readonly subjectId: string; readonly runId: string; readonly startedWith: StartedWith },
): Promise<boolean> {
  if (webhookUrl === undefined) return true;
  if ((await claimPlace(deps, caller, { recordId, webhookUrl, startedWith })) === 'told') return true;
  if (!(await deps.jobs.subscribe(run, webhookUrl, subscriberOf(caller)))) return false;
  // After the signal: whoever dies in between is repeated, and signals.
  await noteTold(deps, caller, { recordId, webhookUrl });
  return true;
}

/** Counts a webhook that a job knows. */
export async function noteTold(
  deps: ServiceDeps,
  caller: Caller,
  { recordId, webhookUrl }: Subscription,
): Promise<void> {
  if (webhookUrl === undefined) return;
  await deps.receivers.noteTold(recordId, { caller: callerIdOf(caller), url: webhookUrl });
}

/** @throws ApiError `too_many_webhooks` */
export async function claimPlace(
  deps: ServiceDeps,
  caller: Caller,
  {
    recordId,
    webhookUrl: url,
    startedWith,
  }: Subscription & { readonly webhookUrl: string; readonly startedWith: StartedWith },
): Promise<'told' | 'free'> {
  const first = firstOf(caller, startedWith);
  const place = await deps.receivers.claim(recordId, { caller: callerIdOf(caller), url }, first);
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

/** An address is not kept: without a key, whoever asks counts as who has started the job. */
function firstOf(caller: Caller, { webhookUrl: url, startedBy }: StartedWith): Receiver | undefined {
  if (url === undefined) return undefined;
  return { caller: subscriberOf(caller) === startedBy ? callerIdOf(caller) : startedBy, url };
}

function tooMany(message: string): ApiError {
  return new ApiError('too_many_webhooks', message, { details: [{ path: 'include_webhook', message }] });
}
