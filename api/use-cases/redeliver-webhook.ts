import { deliveryIdFrom } from '../../contract/deliveries.ts';
import { ApiError } from '../../contract/errors.ts';
import { DELIVERY_ATTEMPTS_MAX, REDELIVERIES_PER_MINUTE_MAX } from '../../contract/limits.ts';
import { renderDelivery } from '../../contract/render/deliveries.ts';
import type { DeliveryResult } from '../../contract/results/deliveries.ts';
import { receiverHostOf, WEBHOOK_RETRY_DELAYS_SECONDS } from '../../contract/webhooks.ts';
import { WINDOW_MS } from '../../store/request-counts.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { isOwn } from './own-deliveries.ts';
import { callerIdOf } from './receivers.ts';

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
export async function redeliverWebhook(deps: ApiDeps, webhookId: string): Promise<Answer<DeliveryResult>> {
  const deliveryId = deliveryIdFrom(webhookId);
  const delivery = await deps.deliveries.get(deliveryId);
  // One answer for both: it does not tell which deliveries there are.
  if (delivery === undefined || !(await isOwn(deps, delivery)))
    throw new ApiError('not_found', 'There is no webhook delivery with this id.');
  const firstAttempt = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  const { recordId, url } = delivery;
  if (firstAttempt > DELIVERY_ATTEMPTS_MAX) {
    throw new ApiError('too_many_webhooks', `This webhook was tried ${String(DELIVERY_ATTEMPTS_MAX)} times: no more.`);
  }
  await refuseFlood(deps, url);
  // Not by the state on record: attempts may have been ended by an operator, and the delivery be pending for ever.
  if (!(await deps.redeliveries.start({ deliveryId, recordId, url, firstAttempt }))) {
    throw new ApiError('delivery_pending', 'The webhook is still being delivered. Wait until it has ended.', {
      retryAfterSeconds: WEBHOOK_RETRY_DELAYS_SECONDS[0],
    });
  }
  await deps.deliveries.reopen(deliveryId, firstAttempt);
  const now = (await deps.deliveries.get(deliveryId)) ?? delivery;
  return { state: 'pending', body: renderDelivery(now), pollSeconds: WEBHOOK_RETRY_DELAYS_SECONDS[0] };
}

/** Counted like requests, for each host. Services of ours may repeat what they like. */
async function refuseFlood(deps: ApiDeps, url: string): Promise<void> {
  if (deps.caller.kind === 'service') return;
  const nowMs = deps.now();
  const id = `redeliver ${callerIdOf(deps.caller)} ${receiverHostOf(url)}`;
  const { used, startMs } = await deps.requestCounts.add(id, 1, nowMs);
  if (used <= REDELIVERIES_PER_MINUTE_MAX) return;
  const most = `${String(REDELIVERIES_PER_MINUTE_MAX)} webhooks a minute`;
  throw new ApiError('rate_limited', `You can have ${most} repeated at one host.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((startMs + WINDOW_MS - nowMs) / 1000)),
  });
}
