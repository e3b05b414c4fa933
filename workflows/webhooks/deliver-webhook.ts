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
 * Delivers a result: a first attempt, then a retry after each of the delays, then it gives up.
 *
 * The waits are timers of the workflow and not a retry policy: a worker that dies in an attempt must not use up one of
 * the receiver's four.
 *
 * The worker that runs this workflow makes the first attempt itself, which saves the receiver the wait for a queue.
 */
export async function deliverWebhook(input: DeliveryInput): Promise<'delivered' | 'abandoned'> {
  const { firstAttempt = 1 } = input;
  const retries = WEBHOOK_RETRY_DELAYS_SECONDS.length;
  for (let retry = 0; retry <= retries; retry += 1) {
    const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[retry - 1];
    if (delaySeconds !== undefined) {
      const next = new Date(Date.now() + delaySeconds * 1000).toISOString();
      setCurrentDetails(`The receiver has not taken attempt ${firstAttempt + retry - 1}. The next one is at ${next}.`);
      await sleep(delaySeconds * 1000, { summary: `retry ${retry} after ${delaySeconds} s` });
    }
    const attempt = firstAttempt + retry;
    const summary = `attempt ${attempt} of ${firstAttempt + retries}`;
    setCurrentDetails(`At ${summary}.`);
    const order = { ...input, attempt, isLast: retry === retries };
    let result: LocalAttemptResult = retry === 0 ? await attemptLocally(order, summary) : 'queue';
    if (result === 'queue') result = await deliverActivities(summary).attemptDelivery(order);
    if (result === 'delivered') {
      setCurrentDetails(`Delivered by ${summary}.`);
      return 'delivered';
    }
    if (result === 'forbidden') return abandon('The address is forbidden.');
  }
  return abandon('No attempt was taken.');
}

function abandon(reason: string): 'abandoned' {
  setCurrentDetails(`Given up: ${reason} The deliveries of the API tell what the receiver answered.`);
  upsertSearchAttributes(failureAttribute(ABANDONED));
  return 'abandoned';
}

/** The receiver hears of it a few steps earlier. Our own faults are for the queue, where they are mended. */
async function attemptLocally(order: AttemptInput, summary: string): Promise<LocalAttemptResult> {
  try {
    return await deliverLocally(summary).attemptDelivery(order);
  } catch (error) {
    if (error instanceof TemporalFailure && !isCancellation(error)) return 'queue';
    throw error;
  }
}
