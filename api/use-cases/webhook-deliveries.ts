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
import { DELIVERY_ATTEMPTS_MAX, REDELIVERIES_PER_MINUTE_MAX } from '../../contract/request-limits.ts';
import { receiverHostOf, WEBHOOK_RETRY_DELAYS_SECONDS, type Delivery } from '../../contract/http/webhook-delivery.ts';
import { webhookHeaders } from '../../contract/http/webhook-headers.ts';
import { optional } from '../../runtime/optional.ts';
import { WINDOW_MS } from '../../store/accounts/request-counts.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { assertWebhookTarget, callerIdOf, subscriberOf } from './subscribers.ts';

const SAMPLE_ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';

/**
 * POST /api/webhook/test: sends a sample payload with the client of deliveries. A host name without a public address, a refused
 * connection and a timeout get the same answer after the same time, so that callers cannot explore the service's own network.
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

/** GET /api/webhook/deliveries: a page of the caller's deliveries that match all filters, those of the newest downloads first. */
export const listDeliveries: UseCase<DeliveryListQuery, DeliveryList> = async (deps, caller, query) => {
  // One more than the page shows whether another page follows.
  const deliveries = await find(deps, caller, { ...query, limit: query.limit + 1 });
  const shown = deliveries.slice(0, query.limit).map(renderDelivery);
  const last = deliveries.length > query.limit ? shown.at(-1) : undefined;
  return { state: 'finished', body: { deliveries: shown, next_cursor: last?.id ?? null } };
};

/**
 * POST /api/webhook/deliveries/{deliveryId}/redeliver: a new round of attempts of a delivery that has ended. The `webhook-id`
 * stays the same, and the numbers of the attempts continue. Concurrent requests start one round: a delivery has one open
 * workflow, and a workflow that finds its attempt in the record uses the recorded result.
 */
export const redeliverWebhook: UseCase<{ delivery_id: string }, DeliveryResult> = async (
  deps,
  caller,
  { delivery_id: webhookId },
) => {
  const deliveryId = deliveryIdFrom(webhookId);
  const delivery = await deps.deliveries.get(deliveryId);
  // The answer is the same for both, so that it does not reveal which deliveries exist.
  if (delivery === undefined || !isOwn(caller, delivery))
    throw new ApiError('not_found', 'There is no webhook delivery with this id.');
  const firstAttempt = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  const { recordId, url, subscribedBy } = delivery;
  if (firstAttempt > DELIVERY_ATTEMPTS_MAX) {
    throw new ApiError(
      'too_many_webhooks',
      `This webhook was tried ${String(DELIVERY_ATTEMPTS_MAX)} times, which is the maximum.`,
    );
  }
  await limitRedeliveries(deps, caller, url);
  const record = await deps.records.get(recordId);
  const round = { deliveryId, recordId, url, firstAttempt, record, ...optional('subscribedBy', subscribedBy) };
  // Temporal decides whether a round runs: if an operator ended a round, the stored state is pending forever.
  if (!(await deps.redeliveries.start(round))) {
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
  // The embedded server finds the deliveries of one record fast. They are sorted as the other list is.
  return all
    .filter((delivery) => isOwn(caller, delivery))
    .filter((delivery) => (state === undefined || delivery.state === state) && !(before && delivery.id >= before))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/** Jobs are shared, but only the caller that added a webhook, and internal services, can see and repeat its delivery. */
function isOwn(caller: Caller, { subscribedBy = [] }: Delivery): boolean {
  return caller.kind === 'service' || subscribedBy.includes(subscriberOf(caller));
}

/** Limits redeliveries per caller and host. Internal services have no limit. */
async function limitRedeliveries(deps: ServiceDeps, caller: Caller, url: string): Promise<void> {
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

/** @param statusCode the status of the receiver's answer; undefined without an answer */
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
