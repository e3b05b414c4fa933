import { deliveryIdFrom } from '../../contract/deliveries.ts';
import { ApiError } from '../../contract/errors.ts';
import { renderDelivery } from '../../contract/render/deliveries.ts';
import type { DeliveryResult } from '../../contract/results/deliveries.ts';
import { WEBHOOK_RETRY_DELAYS_SECONDS } from '../../contract/webhooks.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { isOwn } from './own-deliveries.ts';

/**
 * POST /api/webhook/deliveries/{deliveryId}/redeliver: a further round of attempts of a delivery that has ended, well or
 * not. The message keeps its `webhook-id`, attempts are counted on.
 *
 * Two callers at a time start one round: Temporal has one open run of a delivery, and a run that finds the attempt which
 * it was started for on record takes that one's result.
 *
 * @throws ApiError `not_found`, also for another caller's; `delivery_pending` while attempts go on
 */
export async function redeliverWebhook(deps: ApiDeps, webhookId: string): Promise<Answer<DeliveryResult>> {
  const deliveryId = deliveryIdFrom(webhookId);
  const delivery = await deps.deliveries.get(deliveryId);
  // One answer for both: it does not tell which deliveries there are.
  if (delivery === undefined || !(await isOwn(deps, delivery)))
    throw new ApiError('not_found', 'There is no webhook delivery with this id.');
  const firstAttempt = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  const { recordId, url } = delivery;
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
