import { onTestFinished } from 'vitest';
import {
  createWebhookClient,
  type WebhookClient,
  type WebhookClientOptions,
} from '../../../outbound/webhooks/webhook-client.ts';
import { loopback } from '../receivers.ts';

/** Creates a client that may call loopback by default, and closes it after the test. */
export function testClient(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  const client = createWebhookClient({
    allowedNetworks: loopback,
    timeoutMs: 5_000,
    connectTimeoutMs: 2_000,
    maxResponseBytes: 65_536,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
