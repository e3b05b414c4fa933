import { sleep } from '@temporalio/workflow';
import type { z } from 'zod';
import { WEBHOOK_RETRY_DELAYS_SECONDS } from '../contract/webhooks.ts';
import type { deliverySchema } from '../runtime/inputs/parts.ts';
import { deliverActivities } from './activities.ts';

export type DeliveryInput = z.infer<typeof deliverySchema>;

/**
 * Delivers a result: a first attempt, then a retry after each of the delays, then it gives up.
 *
 * The waits are timers of the workflow and not a retry policy: a worker that dies in an attempt must not use up one of
 * the receiver's four.
 */
export async function deliverWebhook(input: DeliveryInput): Promise<'delivered' | 'abandoned'> {
  const { firstAttempt = 1 } = input;
  const retries = WEBHOOK_RETRY_DELAYS_SECONDS.length;
  for (let retry = 0; retry <= retries; retry += 1) {
    const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[retry - 1];
    if (delaySeconds !== undefined) {
      await sleep(delaySeconds * 1000, { summary: `retry ${retry} after ${delaySeconds} s` });
    }
    const attempt = firstAttempt + retry;
    const { attemptDelivery } = deliverActivities(`attempt ${attempt} of ${firstAttempt + retries}`);
    const result = await attemptDelivery({ ...input, attempt, isLast: retry === retries });
    if (result === 'delivered') return 'delivered';
    if (result === 'forbidden') return 'abandoned';
  }
  return 'abandoned';
}
