import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { WEBHOOKS_PER_HOST_MAX, WEBHOOKS_PER_JOB_MAX } from '../../contract/request-limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { defined } from '../../runtime/optional.ts';
import { checkTarget } from '../../outbound/check-target.ts';
import type { WebhookSubscription } from '../../store/records/webhook-subscriptions.ts';
import type { AcceptDeps, ServiceDeps } from '../service-deps.ts';

interface Subscription {
  readonly recordId: string;
  readonly webhookUrl: string;
  /** The webhook with which the job was started, and the caller towards whose limit it counts. */
  readonly startedWith: Pick<DownloadRecord, 'webhookUrl' | 'startedBy'>;
}

/** @returns the ID of a caller in records and deliveries: the ID of a key, `service`, or {@link WITHOUT_KEY} */
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

/** @returns what identifies the callers that share the limits of a receiver: a key, or else an address */
export function callerIdOf(caller: Caller): string {
  return (caller.kind === 'anonymous' ? caller.limitedAs : undefined) ?? subscriberOf(caller);
}

interface Target {
  readonly url: string;
  readonly field: string;
  readonly fieldsOf?: (reason: string) => Readonly<Record<string, string | number>>;
}

/**
 * Refuses a URL whose text alone shows that it is forbidden. Host names are checked when they are resolved, at each request.
 */
export function assertWebhookTarget(
  deps: Pick<ServiceDeps, 'webhookAllowedNetworks'>,
  { url, field, fieldsOf }: Target,
): void {
  const verdict = checkTarget(url, deps.webhookAllowedNetworks);
  if (verdict.ok) return;
  throw new ApiError('webhook_target_forbidden', verdict.reason, { field, fields: fieldsOf?.(verdict.reason) });
}

/** Refuses the webhooks of a request for a job, a batch or a subscription that are forbidden. */
export function assertWebhookTargets(
  deps: Pick<ServiceDeps, 'webhookAllowedNetworks'>,
  request: Pick<BatchFields, 'include_webhook' | 'item_webhooks'>,
): void {
  for (const field of ['include_webhook', 'item_webhooks'] as const) {
    const url = request[field];
    if (url !== undefined) assertWebhookTarget(deps, { url, field });
  }
}

interface BatchFields {
  readonly name?: string | undefined;
  readonly skip?: readonly FailureCode[] | undefined;
  readonly include_webhook?: string | undefined;
  readonly item_webhooks?: string | undefined;
}

/** @returns what a batch and a subscription store in the same way; refuses webhooks that are forbidden */
export function batchFieldsOf(deps: Pick<ServiceDeps, 'webhookAllowedNetworks'>, request: BatchFields) {
  const { name, skip, include_webhook: webhookUrl, item_webhooks: itemWebhookUrl } = request;
  assertWebhookTargets(deps, request);
  return defined({ name, skip, webhookUrl, itemWebhookUrl });
}

/**
 * Adds a webhook to a running job, once. A webhook that the job knows already is not signalled again: each signal grows the
 * job's history, and a history has a maximum length.
 * @returns false when the job has closed
 */
export async function subscribe(
  deps: AcceptDeps,
  caller: Caller,
  { subjectId, runId, ...subscription }: Subscription & { readonly subjectId: string; readonly runId: string },
): Promise<boolean> {
  if ((await claimSubscription(deps, caller, subscription)) === 'known') return true;
  if (!(await deps.jobs.subscribe({ subjectId, runId }, subscription.webhookUrl, subscriberOf(caller)))) return false;
  // If the process dies after the signal, the repeated request signals again, which changes nothing.
  await markSubscriptionKnown(deps, caller, subscription);
  return true;
}

export async function markSubscriptionKnown(
  deps: AcceptDeps,
  caller: Caller,
  { recordId, webhookUrl: url }: Pick<Subscription, 'recordId' | 'webhookUrl'>,
): Promise<void> {
  await deps.webhookSubscriptions.markKnown(recordId, { caller: callerIdOf(caller), url });
}

export async function claimSubscription(
  deps: AcceptDeps,
  caller: Caller,
  { recordId, webhookUrl: url, startedWith }: Subscription,
): Promise<'known' | 'accepted'> {
  const first = firstOf(caller, startedWith);
  const decision = await deps.webhookSubscriptions.claim(recordId, { caller: callerIdOf(caller), url }, first);
  if (decision === 'known' || decision === 'accepted') return decision;
  const message =
    decision === 'job_full'
      ? `This job has ${String(WEBHOOKS_PER_JOB_MAX)} webhooks, which is the maximum.`
      : `You have ${String(WEBHOOKS_PER_HOST_MAX)} webhooks at this host for this job, which is the maximum.`;
  throw new ApiError('too_many_webhooks', message, { field: 'include_webhook' });
}

/** Addresses are not stored, so a caller without a key counts as the caller that started a job without a key. */
function firstOf(
  caller: Caller,
  { webhookUrl: url, startedBy }: Subscription['startedWith'],
): WebhookSubscription | undefined {
  if (url === undefined) return undefined;
  return { caller: subscriberOf(caller) === startedBy ? callerIdOf(caller) : startedBy, url };
}
