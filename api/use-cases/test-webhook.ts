import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { webhookHeaders } from '../../contract/webhooks.ts';
import type { WebhookTestRequest, WebhookTestResult } from '../../contract/deliveries.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { assertWebhookTarget } from './webhook-target.ts';

const SAMPLE_ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';

/**
 * POST /api/webhook/test: a real POST with a sample payload, through the guard that deliveries use.
 *
 * A name that leads to a private address or to none, a refused connection and a time-out get the same answer, after the
 * same time: the endpoint must not tell callers what lives in the service's own network.
 *
 * @throws ApiError `webhook_target_forbidden` when the text of the URL alone forbids it
 */
export async function testWebhook(deps: ApiDeps, request: WebhookTestRequest): Promise<Answer<WebhookTestResult>> {
  assertWebhookTarget(request.url, 'url', deps.webhookAllowedNetworks);
  const body = JSON.stringify({ test: true, message: 'A sample of the webhooks that this service sends.' });
  const headers = {
    ...webhookHeaders({ endpoint: 'webhook/test', originalStatus: 200, downloadId: SAMPLE_ID }),
    ...(await deps.signWebhook({ id: `test-${ulid()}`, url: request.url, body })),
  };
  const startedMs = performance.now();
  const outcome = await deps.webhooks.post(request.url, { headers, body });
  if (outcome.kind === 'answered') return { state: 'finished', body: describe(outcome.statusCode) };
  await delay(Math.max(0, startedMs + deps.webhookTestMs - performance.now()));
  return { state: 'finished', body: describe(undefined) };
}

function describe(statusCode: number | undefined): WebhookTestResult {
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
