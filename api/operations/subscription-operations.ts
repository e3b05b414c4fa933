import { z } from 'zod';
import { pageQuerySchema } from '../../contract/http/fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import {
  subscriptionChangeSchema,
  subscriptionItemsQuerySchema,
  subscriptionItemsSchema,
  subscriptionListSchema,
  subscriptionRequestSchema,
  subscriptionSchema,
} from '../../contract/subscriptions/subscription-request.ts';
import {
  changeSubscription,
  checkSubscription,
  createSubscription,
  getSubscription,
  listSubscriptionItems,
  listSubscriptions,
  pauseSubscription,
  removeSubscription,
  resumeSubscription,
} from '../use-cases/subscriptions.ts';
import { operation } from './operation.ts';

const OF_SUBSCRIPTION = {
  params: z.object({ subscriptionId: ulidSchema }),
  unknown: { subscriptionId: 'There is no subscription with this id.' },
} as const;

export const subscriptionOperations = {
  createSubscription: operation({
    method: 'post',
    path: '/api/subscriptions',
    rpc: 'subscriptions.create',
    summary: 'Fetch what a channel, playlist or feed publishes from now on',
    body: subscriptionRequestSchema,
    answers: { 202: { description: 'The subscription, whose first check begins', schema: subscriptionSchema } },
    errors: ['webhook_target_forbidden'],
    run: createSubscription,
  }),
  listSubscriptions: operation({
    method: 'get',
    path: '/api/subscriptions',
    rpc: 'subscriptions.list',
    summary: 'List subscriptions, newest first',
    query: pageQuerySchema,
    answers: { 200: { description: 'A page of subscriptions', schema: subscriptionListSchema } },
    run: listSubscriptions,
  }),
  getSubscription: operation({
    method: 'get',
    path: '/api/subscriptions/{subscriptionId}',
    rpc: 'subscriptions.get',
    summary: 'Get a subscription',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription', schema: subscriptionSchema } },
    run: getSubscription,
  }),
  changeSubscription: operation({
    method: 'patch',
    path: '/api/subscriptions/{subscriptionId}',
    rpc: 'subscriptions.change',
    summary: 'Change fields of a subscription',
    ...OF_SUBSCRIPTION,
    body: subscriptionChangeSchema,
    answers: { 200: { description: 'The subscription', schema: subscriptionSchema } },
    errors: ['webhook_target_forbidden'],
    run: changeSubscription,
  }),
  removeSubscription: operation({
    method: 'delete',
    path: '/api/subscriptions/{subscriptionId}',
    rpc: 'subscriptions.remove',
    summary: 'Delete a subscription; what it has started goes on',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription as it was', schema: subscriptionSchema } },
    run: removeSubscription,
  }),
  pauseSubscription: operation({
    method: 'post',
    path: '/api/subscriptions/{subscriptionId}/pause',
    rpc: 'subscriptions.pause',
    summary: 'Pause the checks of a subscription',
    ...OF_SUBSCRIPTION,
    answers: { 200: { description: 'The subscription is paused', schema: subscriptionSchema } },
    run: pauseSubscription,
  }),
  resumeSubscription: operation({
    method: 'post',
    path: '/api/subscriptions/{subscriptionId}/resume',
    rpc: 'subscriptions.resume',
    summary: 'Continue a paused subscription, with the entries that wait',
    ...OF_SUBSCRIPTION,
    answers: { 202: { description: 'The subscription continues with a check', schema: subscriptionSchema } },
    run: resumeSubscription,
  }),
  checkSubscription: operation({
    method: 'post',
    path: '/api/subscriptions/{subscriptionId}/check',
    rpc: 'subscriptions.check',
    summary: 'Check the source of a subscription now',
    ...OF_SUBSCRIPTION,
    answers: { 202: { description: 'A check has begun', schema: subscriptionSchema } },
    errors: ['not_ready'],
    run: checkSubscription,
  }),
  listSubscriptionItems: operation({
    method: 'get',
    path: '/api/subscriptions/{subscriptionId}/items',
    rpc: 'subscriptions.items',
    summary: 'List what a subscription has fetched',
    ...OF_SUBSCRIPTION,
    query: subscriptionItemsQuerySchema,
    answers: { 200: { description: 'A page of items', schema: subscriptionItemsSchema } },
    run: listSubscriptionItems,
  }),
} as const;
