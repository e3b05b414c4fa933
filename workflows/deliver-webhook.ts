import { sleep } from '@temporalio/workflow';
import { WEBHOOK_RETRY_DELAYS_SECONDS } from '../contract/webhooks.ts';
import { deliverActivities } from './activities.ts';

export interface DeliveryInput {
  readonly deliveryId: string;
  readonly recordId: string;
  readonly url: string;
}

/**
 * Delivers a result: a first attempt, then retries after 10, 30 and 60 seconds, then it gives up.
 *
 * The waits are timers of the workflow and not a retry policy: a worker that dies in an attempt must not use up one of
 * the receiver's four.
 */
export async function deliverWebhook(input: DeliveryInput): Promise<'delivered' | 'abandoned'> {
  const attempts = 1 + WEBHOOK_RETRY_DELAYS_SECONDS.length;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[attempt - 2];
    if (delaySeconds !== undefined) {
      await sleep(delaySeconds * 1000, { summary: `retry ${String(attempt - 1)} after ${String(delaySeconds)} s` });
    }
    const { attemptDelivery } = deliverActivities(`attempt ${String(attempt)} of ${String(attempts)}`);
    const result = await attemptDelivery({ ...input, attempt, isLast: attempt === attempts });
    if (result === 'delivered') return 'delivered';
    if (result === 'forbidden') return 'abandoned';
  }
  return 'abandoned';
}
