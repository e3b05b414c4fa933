import { z } from 'zod';
import { pageQuerySchema } from '../../contract/http/fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import * as schemas from '../../contract/subscriptions/subscription-request.ts';
import * as subscriptions from '../use-cases/subscriptions.ts';
import { operation } from './operation.ts';

const OF_SUBSCRIPTION = {
  params: z.object({ subscriptionId: ulidSchema }),
  unknown: { subscriptionId: 'There is no subscription with this id.' },
} as const;

export const subscriptionOperations = {
  createSubscription: operation('POST /api/subscriptions', {
    rpc: 'subscriptions.create',
    tool: 'create_subscription',
    summary: 'Fetch what a channel, playlist or feed publishes from now on',
    body: schemas.subscriptionRequestSchema,
    answers: { 202: { description: 'The subscription, whose first check begins', schema: schemas.subscriptionSchema } },
    errors: ['webhook_target_forbidden'],
    run: subscriptions.createSubscription,
  }),
  listSubscriptions: operation('GET /api/subscriptions', {
    rpc: 'subscriptions.list',
    tool: 'list_subscriptions',
    summary: 'List subscriptions, newest first',
    query: pageQuerySchema,
    answers: { 200: { description: 'A page of subscriptions', schema: schemas.subscriptionListSchema } },
    run: subscriptions.listSubscriptions,
  }),
  getSubscription: operation('GET /api/subscriptions/{subscriptionId}', {
    rpc: 'subscriptions.get',
    tool: 'get_subscription',
    summary: 'Get a subscription',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription', schema: schemas.subscriptionSchema } },
    run: subscriptions.getSubscription,
  }),
  changeSubscription: operation('PATCH /api/subscriptions/{subscriptionId}', {
    rpc: 'subscriptions.change',
    tool: 'change_subscription',
    summary: 'Change fields of a subscription',
    ...OF_SUBSCRIPTION,
    body: schemas.subscriptionChangeSchema,
    answers: { 200: { description: 'The subscription', schema: schemas.subscriptionSchema } },
    errors: ['webhook_target_forbidden'],
    run: subscriptions.changeSubscription,
  }),
  removeSubscription: operation('DELETE /api/subscriptions/{subscriptionId}', {
    rpc: 'subscriptions.remove',
    tool: 'delete_subscription',
    summary: 'Delete a subscription; what it has started goes on',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription as it was', schema: schemas.subscriptionSchema } },
    run: subscriptions.removeSubscription,
  }),
  pauseSubscription: operation('POST /api/subscriptions/{subscriptionId}/pause', {
    rpc: 'subscriptions.pause',
    tool: 'pause_subscription',
    summary: 'Pause the checks of a subscription',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription is paused', schema: schemas.subscriptionSchema } },
    run: subscriptions.pauseSubscription,
  }),
  resumeSubscription: operation('POST /api/subscriptions/{subscriptionId}/resume', {
    rpc: 'subscriptions.resume',
    tool: 'resume_subscription',
    summary: 'Continue a paused subscription, with the entries that wait',
    ...OF_SUBSCRIPTION,
    answers: { 202: { description: 'The subscription continues with a check', schema: schemas.subscriptionSchema } },
    run: subscriptions.resumeSubscription,
  }),
  checkSubscription: operation('POST /api/subscriptions/{subscriptionId}/check', {
    rpc: 'subscriptions.check',
    tool: 'check_subscription',
    summary: 'Check the source of a subscription now',
    ...OF_SUBSCRIPTION,
    answers: { 202: { description: 'A check has begun', schema: schemas.subscriptionSchema } },
    errors: ['not_ready'],
    run: subscriptions.checkSubscription,
  }),
  listSubscriptionItems: operation('GET /api/subscriptions/{subscriptionId}/items', {
    rpc: 'subscriptions.items',
    tool: 'list_subscription_items',
    summary: 'List what a subscription has fetched',
    ...OF_SUBSCRIPTION,
    query: schemas.subscriptionItemsQuerySchema,
    answers: { 200: { description: 'A page of items', schema: schemas.subscriptionItemsSchema } },
    run: subscriptions.listSubscriptionItems,
  }),
} as const;
