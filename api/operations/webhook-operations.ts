import { z } from 'zod';
import * as schemas from '../../contract/http/delivery-schemas.ts';
import { operation } from './operation.ts';
import { listDeliveries, redeliverWebhook, testWebhook } from '../use-cases/webhook-deliveries.ts';

export const webhookOperations = {
  testWebhook: operation('POST /api/webhook/test', {
    scope: 'webhooks',
    rpc: 'webhook.test',
    summary: 'Send a test to a webhook URL',
    body: schemas.webhookTestRequestSchema,
    answers: { 200: { description: 'The answer of the URL', schema: schemas.webhookTestResultSchema } },
    errors: ['webhook_target_forbidden'],
    errorBodies: { 400: schemas.webhookTestRefusedSchema },
    run: testWebhook,
  }),
  listDeliveries: operation('GET /api/webhook/deliveries', {
    rpc: 'webhook.deliveries',
    summary: 'List webhook deliveries with their attempts, those of the newest downloads first',
    query: schemas.deliveryListQuerySchema,
    answers: { 200: { description: 'A page of deliveries', schema: schemas.deliveryListSchema } },
    run: listDeliveries,
  }),
  redeliverWebhook: operation('POST /api/webhook/deliveries/{deliveryId}/redeliver', {
    scope: 'webhooks',
    rpc: 'webhook.redeliver',
    summary: 'Deliver a webhook again',
    params: z.object({ deliveryId: schemas.webhookIdSchema }),
    unknown: { deliveryId: 'There is no webhook delivery with this id.' },
    answers: { 202: { description: 'A new round of attempts was started', schema: schemas.deliverySchema } },
    errors: ['delivery_pending', 'too_many_webhooks'],
    run: redeliverWebhook,
  }),
} as const;
