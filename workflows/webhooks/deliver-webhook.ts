import {
  isCancellation,
  setCurrentDetails,
  sleep,
  TemporalFailure,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { z } from 'zod';
import type { AttemptInput, LocalAttemptResult } from '../../activities/deliver-webhook.ts';
import { WEBHOOK_RETRY_DELAYS_SECONDS } from '../../contract/http/webhook-delivery.ts';
import type { deliverySchema } from '../../runtime/inputs/input-fields.ts';
import { ABANDONED, failureAttribute } from '../../runtime/temporal/visibility.ts';
import { deliverActivities, deliverLocally } from '../activity-proxies.ts';

export type DeliveryInput = z.infer<typeof deliverySchema>;

/**
 * Delivers a result: one attempt, a retry after each of the delays, and then the delivery is abandoned.
 *
 * The delays are timers instead of a retry policy, because a worker that dies during an attempt must not use up one of the
 * receiver's four.
 */
export async function deliverWebhook(input: DeliveryInput): Promise<'delivered' | 'abandoned'> {
  const { firstAttempt = 1 } = input;
  for (const [retry, delaySeconds] of [0, ...WEBHOOK_RETRY_DELAYS_SECONDS].entries()) {
    const attempt = firstAttempt + retry;
    if (retry > 0) {
      const next = new Date(Date.now() + delaySeconds * 1000).toISOString();
      setCurrentDetails(`The receiver has not accepted attempt ${attempt - 1}. The next one is at ${next}.`);
      await sleep(delaySeconds * 1000, { summary: `retry ${retry} after ${delaySeconds} s` });
    }
    const summary = `attempt ${attempt} of ${firstAttempt + WEBHOOK_RETRY_DELAYS_SECONDS.length}`;
    setCurrentDetails(`At ${summary}.`);
    const order = { ...input, attempt, isLast: retry === WEBHOOK_RETRY_DELAYS_SECONDS.length };
    let result: LocalAttemptResult = retry === 0 ? await attemptLocally(order, summary) : 'queue';
    if (result === 'queue') result = await deliverActivities(summary).attemptDelivery(order);
    if (result === 'delivered') {
      setCurrentDetails(`Delivered by ${summary}.`);
      return 'delivered';
    }
    if (result === 'forbidden') return abandon('The address is forbidden.');
  }
  return abandon('The receiver has accepted no attempt.');
}

/** The worker that runs this workflow makes the first attempt, which saves the wait for a queue. A fault of the service is left to the queue. */
async function attemptLocally(order: AttemptInput, summary: string): Promise<LocalAttemptResult> {
  try {
    return await deliverLocally(summary).attemptDelivery(order);
  } catch (error) {
    if (error instanceof TemporalFailure && !isCancellation(error)) return 'queue';
    throw error;
  }
}

function abandon(reason: string): 'abandoned' {
  setCurrentDetails(`Abandoned: ${reason} The API lists the attempts of this delivery.`);
  upsertSearchAttributes(failureAttribute(ABANDONED));
  return 'abandoned';
}
