import { z } from 'zod';
import { webhookIdSchema } from '../deliveries.ts';
import { ulidSchema } from '../ids.ts';
import { deliveryStates } from '../webhooks.ts';

const attemptSchema = z.object({
  number: z.number().int().describe('Counted from 1, on through redeliveries'),
  started_at: z.string(),
  duration_ms: z.number().int(),
  http_status: z.number().int().optional().describe('What the receiver answered'),
  error: z.string().optional().describe('Why there was no answer: `timeout`, `dns`, `refused`, …'),
});

/** A webhook: what was tried, and how that went. */
export const deliverySchema = z
  .object({
    id: webhookIdSchema.describe('The `webhook-id` of the message'),
    download_id: ulidSchema,
    url: z.string().describe('The receiver; path and query may hold a secret, and are left out'),
    endpoint: z.string().describe('`X-Webhook-Endpoint`'),
    state: z.enum(deliveryStates),
    created_at: z.string(),
    attempts: z.array(attemptSchema),
    next_attempt_at: z.string().optional().describe('When the next attempt is due at the earliest, where one follows'),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryResult = z.infer<typeof deliverySchema>;

/** A page of GET /api/webhook/deliveries. */
export const deliveryListSchema = z
  .object({
    deliveries: z.array(deliverySchema),
    next_cursor: webhookIdSchema.nullable().describe('For the next page; null on the last one'),
  })
  .meta({ id: 'WebhookDeliveryList' });
export type DeliveryList = z.infer<typeof deliveryListSchema>;
