import { z } from 'zod';
import { errorBodySchema } from './api-error.ts';
import * as fields from './fields.ts';
import { ulidSchema } from '../ids.ts';
import { formatMicroseconds } from '../text/times.ts';
import { deliveryIdOf, deliveryStates, WEBHOOK_RETRY_DELAYS_SECONDS, type Delivery } from './webhook-delivery.ts';

/** The download and the number of the subscription, because the slashes of the workflow ID do not fit into URLs. */
export const webhookIdSchema = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}-[1-9]\d{0,5}$/, 'must be a download id, a hyphen and a number')
  .meta({ id: 'WebhookId', description: 'ID of a delivery', examples: ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD-1'] });

/** @param deliveryId the ID of the workflow: `webhook/DOWNLOAD-ID/NUMBER` */
export function webhookIdOf(deliveryId: string): string {
  const [, recordId = '', number = ''] = deliveryId.split('/');
  return `${recordId}-${number}`;
}

export function deliveryIdFrom(webhookId: string): string {
  const [recordId = '', number] = webhookId.split('-');
  return deliveryIdOf(recordId, Number(number));
}

export const deliveryListQuerySchema = z.object({
  download_id: ulidSchema.optional().describe('Only deliveries of this download'),
  state: z.enum(deliveryStates).optional().describe('Only deliveries in this state'),
  limit: fields.pageLimitSchema,
  cursor: webhookIdSchema.optional().describe(fields.CURSOR_DESCRIPTION),
});
export type DeliveryListQuery = z.infer<typeof deliveryListQuerySchema>;

const attemptSchema = z.object({
  number: z.number().int().describe('Counted from 1 over all redeliveries'),
  started_at: z.string(),
  duration_ms: z.number().int(),
  http_status: z.number().int().optional().describe('The status code of the response'),
  error: z.string().optional().describe('The reason why there is no response: `timeout`, `dns`, `refused`, …'),
});

export const deliverySchema = z
  .object({
    id: webhookIdSchema.describe('The `webhook-id` of the message'),
    download_id: ulidSchema,
    url: z.string().describe('The receiver without path and query, which may contain a secret'),
    endpoint: z.string().describe('`X-Webhook-Endpoint`'),
    state: z.enum(deliveryStates),
    created_at: z.string(),
    attempts: z.array(attemptSchema),
    next_attempt_at: z.string().optional().describe('The earliest time of the next attempt, if there is one'),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryResult = z.infer<typeof deliverySchema>;

export const deliveryListSchema = z
  .object({
    deliveries: z.array(deliverySchema),
    next_cursor: webhookIdSchema.nullable().describe(fields.NEXT_CURSOR_DESCRIPTION),
  })
  .meta({ id: 'WebhookDeliveryList' });
export type DeliveryList = z.infer<typeof deliveryListSchema>;

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
      http_status: attempt.statusCode,
      error: attempt.error,
    })),
    next_attempt_at: nextAttemptAt(delivery),
  };
}

/** Every caller that requests the same subject can read the deliveries of all others, so path and query are removed. */
function withoutSecrets(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}

/** The time is unknown before the first attempt of a round, which starts as soon as a slot is free. */
function nextAttemptAt({ state, attempts, firstAttempt = 1 }: Delivery): string | undefined {
  const last = attempts.at(-1);
  if (state !== 'pending' || last === undefined) return undefined;
  const delaySeconds = WEBHOOK_RETRY_DELAYS_SECONDS[last.number - firstAttempt];
  if (delaySeconds === undefined) return undefined;
  return formatMicroseconds((Date.parse(last.startedAt) + last.durationMs + delaySeconds * 1000) * 1000);
}

/** Body of POST /api/webhook/test (specification, section 4.3). */
export const webhookTestRequestSchema = z
  .object({ url: fields.webhookUrlSchema.describe(`The webhook URL to test: ${fields.PUBLIC_URL}`) })
  .meta({ id: 'WebhookTestRequest' });
export type WebhookTestRequest = z.infer<typeof webhookTestRequestSchema>;

export const webhookTestBodySchema = z
  .object({ test: z.literal(true), message: z.string() })
  .meta({ id: 'WebhookTestBody' });
export const WEBHOOK_TEST_BODY: z.infer<typeof webhookTestBodySchema> = {
  test: true,
  message: 'A sample of the webhooks that this service sends.',
};

export const webhookTestResultSchema = z
  .object({
    status: z.enum(['success', 'error']),
    message: z.string(),
    http_status: z.number().int().describe('The status code of the response; 0 if there is none'),
  })
  .meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.infer<typeof webhookTestResultSchema>;

/** The error of POST /api/webhook/test for a forbidden URL. It has the fields of a failed test. */
export const webhookTestRefusedSchema = errorBodySchema
  .extend({
    status: z.literal('error'),
    message: z.string().describe('The same as `error`'),
    http_status: z.literal(0).describe('Nothing was sent'),
  })
  .meta({ id: 'WebhookTestRefused' });
