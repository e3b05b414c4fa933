import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Caller } from '../../contract/http/account-schemas.ts';
import {
  deliveryIdFrom,
  renderDelivery,
  WEBHOOK_TEST_BODY,
  type DeliveryListQuery,
  type WebhookTestRequest,
  type DeliveryList,
  type DeliveryResult,
  type WebhookTestResult,
} from '../../contract/http/delivery-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { DELIVERY_ATTEMPTS_MAX, REDELIVERIES_PER_MINUTE_MAX } from '../../contract/limits.ts';
import { receiverHostOf, WEBHOOK_RETRY_DELAYS_SECONDS, type Delivery } from '../../contract/http/webhook-delivery.ts';
import { webhookHeaders } from '../../contract/http/webhook-headers.ts';
import { optional } from '../../runtime/optional.ts';
import { WINDOW_MS } from '../../store/accounts/request-counts.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { assertWebhookTarget, callerIdOf, subscriberOf } from './subscribers.ts';

const SAMPLE_ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';

/**
 * POST /api/webhook/test: a real POST with a sample payload, through the guard that deliveries use.
 *
 * A name that leads to a private address or to none, a refused connection and a time-out get the same answer, after the
 * same time: the endpoint must not tell callers what lives in the service's own network.
 *
 * @throws ApiError `webhook_target_forbidden` when the text of the URL alone forbids it
 */
export const testWebhook: UseCase<WebhookTestRequest, WebhookTestResult> = async (deps, _caller, request) => {
  assertWebhookTarget(deps, {
    url: request.url,
    field: 'url',
    fieldsOf: (message) => ({ status: 'error', message, http_status: 0 }),
  });
  const body = JSON.stringify(WEBHOOK_TEST_BODY);
  const headers = {
    ...webhookHeaders({ endpoint: 'webhook/test', originalStatus: 200, downloadId: SAMPLE_ID }),
    ...(await deps.signWebhook({ id: `test-${ulid()}`, url: request.url, body })),
  };
  const startedMs = performance.now();
  const outcome = await deps.webhooks.post(request.url, { headers, body });
  if (outcome.kind === 'answered') return { state: 'finished', body: describeTest(outcome.statusCode) };
  await delay(Math.max(0, startedMs + deps.webhookTestMs - performance.now()));
  return { state: 'finished', body: describeTest(undefined) };
};

/**
 * GET /api/webhook/deliveries: the caller's deliveries that match all filters, those of the newest downloads first, a page
 * at a time.
 */
export const listDeliveries: UseCase<DeliveryListQuery, DeliveryList> = async (deps, caller, query) => {
  // One more than shown tells whether a page follows.
  const deliveries = await find(deps, caller, { ...query, limit: query.limit + 1 });
  const shown = deliveries.slice(0, query.limit).map(renderDelivery);
  const last = deliveries.length > query.limit ? shown.at(-1) : undefined;
  return { state: 'finished', body: { deliveries: shown, next_cursor: last?.id ?? null } };
};

/**
 * POST /api/webhook/deliveries/{deliveryId}/redeliver: a further round of attempts of a delivery that has ended, well or
 * not. The message keeps its `webhook-id`, attempts are counted on.
 *
 * Two callers at a time start one round: Temporal has one open run of a delivery, and a run that finds the attempt which
 * it was started for on record takes that one's result.
 *
 * @throws ApiError `not_found`, also for another caller's; `delivery_pending` while attempts go on; `too_many_webhooks` and
 *   `rate_limited` when there were enough, so that nobody can be flooded with what one download has cost
 */
export const redeliverWebhook: UseCase<{ delivery_id: string }, DeliveryResult> = async (deps, caller, asked) => {
  const deliveryId = deliveryIdFrom(asked.delivery_id);
  const delivery = await deps.deliveries.get(deliveryId);
  // One answer for both: it does not tell which deliveries there are.
  if (delivery === undefined || !isOwn(caller, delivery))
    throw new ApiError('not_found', 'There is no webhook delivery with this id.');
  const firstAttempt = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  const { recordId, url, subscribedBy } = delivery;
  if (firstAttempt > DELIVERY_ATTEMPTS_MAX) {
    throw new ApiError('too_many_webhooks', `This webhook was tried ${String(DELIVERY_ATTEMPTS_MAX)} times: no more.`);
  }
  await refuseFlood(deps, caller, url);
  // Not by the state on record: attempts may have been ended by an operator, and the delivery be pending for ever.
  const told = { record: await deps.records.get(recordId), ...optional('subscribedBy', subscribedBy) };
  if (!(await deps.redeliveries.start({ deliveryId, recordId, url, firstAttempt, ...told }))) {
    throw new ApiError('delivery_pending', 'The webhook is still being delivered. Wait until it has ended.', {
      retryAfterSeconds: WEBHOOK_RETRY_DELAYS_SECONDS[0],
    });
  }
  await deps.deliveries.reopen(deliveryId, firstAttempt);
  const now = (await deps.deliveries.get(deliveryId)) ?? delivery;
  return { state: 'pending', body: renderDelivery(now), pollSeconds: WEBHOOK_RETRY_DELAYS_SECONDS[0] };
};

async function find(
  deps: ServiceDeps,
  caller: Caller,
  { download_id: recordId, state, cursor, limit }: DeliveryListQuery,
): Promise<readonly Delivery[]> {
  const before = cursor === undefined ? undefined : deliveryIdFrom(cursor);
  if (recordId === undefined) {
    const subscribedBy = caller.kind === 'service' ? undefined : subscriberOf(caller);
    return deps.deliveries.list({ subscribedBy, state, before, limit });
  }
  const all = await deps.deliveries.ofRecord(recordId);
  // Looked up by their ids, which the embedded server does fast; in the order in which a scan gives them.
  return all
    .filter((delivery) => isOwn(caller, delivery))
    .filter((delivery) => (state === undefined || delivery.state === state) && !(before && delivery.id >= before))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/**
 * Whether a delivery is the caller's to see and to repeat. Jobs are shared, but who is told of their end, and whether that
 * worked, concerns only who asked for it. Services of ours see everything.
 */
function isOwn(caller: Caller, { subscribedBy = [] }: Delivery): boolean {
  return caller.kind === 'service' || subscribedBy.includes(subscriberOf(caller));
}

/** Counted like requests, for each host. Services of ours may repeat what they like. */
async function refuseFlood(deps: ServiceDeps, caller: Caller, url: string): Promise<void> {
  if (caller.kind === 'service') return;
  const startMs = Math.floor(deps.now() / WINDOW_MS) * WINDOW_MS;
  const id = `redeliver ${callerIdOf(caller)} ${receiverHostOf(url)}`;
  const { used } = await deps.requestCounts.add(id, 1, { startMs, isKnown: true });
  if (used <= REDELIVERIES_PER_MINUTE_MAX) return;
  const most = `${String(REDELIVERIES_PER_MINUTE_MAX)} webhooks a minute`;
  throw new ApiError('rate_limited', `You can have ${most} repeated at one host.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((startMs + WINDOW_MS - deps.now()) / 1000)),
  });
}

/** @param statusCode what the receiver answered; undefined for no answer */
export function describeTest(statusCode: number | undefined): WebhookTestResult {
  if (statusCode === undefined) {
    const message = 'The URL gave no answer in time. It must be publicly reachable and accept POST requests.';
    return { status: 'error', message, http_status: 0 };
  }
  if (statusCode >= 200 && statusCode < 300) {
    return { status: 'success', message: 'The URL accepted the webhook.', http_status: statusCode };
  }
  const message = `The URL returned ${String(statusCode)} and not a 2xx code. It must accept POST requests.`;
  return { status: 'error', message, http_status: statusCode };
}
