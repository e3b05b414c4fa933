import { webhookIdOf } from '../deliveries.ts';
import { optional } from '../optional.ts';
import type { DeliveryResult } from '../results/deliveries.ts';
import { formatMicroseconds } from '../times.ts';
import { WEBHOOK_RETRY_DELAYS_SECONDS, type Delivery } from '../webhooks.ts';

/** A delivery as its log shows it. */
export function renderDelivery(delivery: Delivery): DeliveryResult {
  return {
    id: webhookIdOf(delivery.id),
    download_id: delivery.recordId,
    url: withoutSecrets(delivery.url),
    endpoint: delivery.endpoint,
    state: delivery.state,
    created_at: delivery.createdAt,
    attempts: delivery.attempts.map((attempt) => ({
      number: attempt.number,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      ...optional('http_status', attempt.statusCode),
      ...optional('error', attempt.error),
    })),
    ...optional('next_attempt_at', nextAttemptAt(delivery)),
  };
}

/**
 * Jobs are shared: whoever asks for the same subject learns the download's id, and may look here. Receivers are often
 * known by a secret in their path or query, so a stranger sees the host alone.
 */
function withoutSecrets(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}

/** Not known before the first attempt of a round: that one waits for nothing but a free place. */
function nextAttemptAt({ state, attempts, firstAttempt = 1 }: Delivery): string | undefined {
  const last = attempts.at(-1);
  if (state !== 'pending' || last === undefined) return undefined;
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[last.number - firstAttempt];
  if (delaySeconds === undefined) return undefined;
  return formatMicroseconds((Date.parse(last.startedAt) + last.durationMs + delaySeconds * 1000) * 1000);
}
