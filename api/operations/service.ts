import { z } from 'zod';
import { accountQuerySchema, accountSchema } from '../../contract/accounts.ts';
import {
  webhookIdSchema,
  deliveryListQuerySchema,
  webhookTestRequestSchema,
  deliveryListSchema,
  deliverySchema,
  webhookTestRefusedSchema,
  webhookTestResultSchema,
} from '../../contract/deliveries.ts';
import { healthSchema, liveSchema } from '../../contract/health.ts';
import { operation } from '../operation.ts';
import { getAccount } from '../use-cases/account.ts';
import { checkHealth, checkLive, checkReady } from '../use-cases/check-health.ts';
import { listDeliveries, redeliverWebhook, testWebhook } from '../use-cases/webhooks.ts';

/** Accounts, webhooks, and the state of the service. */
export const serviceOperations = {
  getAccount: operation({
    method: 'get',
    path: '/api/account',
    summary: 'Get the credit of an API key, and what its downloads have cost',
    query: accountQuerySchema,
    answers: { 200: { description: 'The account, with a page of its entries', schema: accountSchema } },
    run: getAccount,
  }),
  testWebhook: operation({
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/test',
    rpc: 'webhook.test',
    summary: 'Check that a webhook URL can be reached',
    body: webhookTestRequestSchema,
    answers: { 200: { description: 'How the URL answered', schema: webhookTestResultSchema } },
    errors: ['webhook_target_forbidden'],
    errorBodies: { 400: webhookTestRefusedSchema },
    run: testWebhook,
  }),
  listDeliveries: operation({
    method: 'get',
    path: '/api/webhook/deliveries',
    rpc: 'webhook.deliveries',
    summary: 'List webhooks with their attempts, those of the newest downloads first',
    query: deliveryListQuerySchema,
    answers: { 200: { description: 'A page of deliveries', schema: deliveryListSchema } },
    run: listDeliveries,
  }),
  redeliverWebhook: operation({
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/deliveries/{deliveryId}/redeliver',
    rpc: 'webhook.redeliver',
    summary: 'Deliver a webhook again',
    params: z.object({ deliveryId: webhookIdSchema }),
    unknown: { deliveryId: 'There is no webhook delivery with this id.' },
    answers: { 202: { description: 'A further round of attempts was started', schema: deliverySchema } },
    errors: ['delivery_pending', 'too_many_webhooks'],
    run: redeliverWebhook,
  }),
  checkLive: operation({
    method: 'get',
    scope: 'none',
    path: '/live',
    summary: 'Whether the process runs; it asks no engine',
    answers: { 200: { description: 'It runs', schema: liveSchema } },
    errors: ['method_not_allowed'],
    run: checkLive,
  }),
  checkReady: operation({
    method: 'get',
    scope: 'none',
    path: '/ready',
    summary: 'Whether requests should be sent here',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away, or the process is about to stop', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkReady,
  }),
  checkHealth: operation({
    method: 'get',
    scope: 'none',
    path: '/health',
    rpc: 'health',
    summary: 'Whether the service can work',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkHealth,
  }),
} as const;
