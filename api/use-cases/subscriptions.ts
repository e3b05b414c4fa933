import { ulid } from 'ulid';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { PageQuery } from '../../contract/http/fields.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { formatMoney, parseMoney } from '../../contract/money.ts';
import type { EntryFilter } from '../../contract/lists/entry-filter.ts';
import {
  minutesOf,
  renderSubscription,
  type subscriptionItemsSchema,
  type subscriptionListSchema,
  type SubscriptionAnswer,
  type SubscriptionChange,
  type SubscriptionRequest,
} from '../../contract/subscriptions/subscription-request.ts';
import { dayOf, type StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { defined, optional } from '../../runtime/optional.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import type { z } from 'zod';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, UseCase } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { itemAnswerOf, storedItems } from './batches.ts';
import { requireCredit } from './credit.ts';
import { sourceOf } from './lists.ts';
import { ownOf, ownPageOf } from './own-documents.ts';
import { batchFieldsOf, subscriberOf } from './subscribers.ts';

const DEFAULT_EVERY = '6h';

export interface OneSubscription {
  readonly subscription_id: string;
}

/** POST /api/subscriptions: stores the subscription and creates its schedule, whose first check begins at once. */
export const createSubscription: UseCase<SubscriptionRequest, SubscriptionAnswer> = async (
  deps,
  caller: LimitedCaller,
  request,
) => {
  const id = caller.ids?.of('subscription') ?? ulid();
  const own = caller.ids && (await deps.subscriptions.get(id));
  // The request is repeated, because it was interrupted.
  if (own !== undefined) {
    await putSchedule(deps, own);
    return answerOf(deps, own, 'pending');
  }
  const { source, price, collection } = await sourceOf(deps, request);
  if (collection !== undefined) await requireCredit(deps, caller, collection.now);
  if (request.since !== 'now' && request.since !== 'all' && request.since > dayOf(deps.now())) {
    throw invalidField('since', 'must not be in the future');
  }
  const subscription: StoredSubscription = {
    ...{ id, startedBy: subscriberOf(caller), createdAt: nowMicroseconds(), source, since: request.since, price },
    ...optional('checkPrice', collection?.price),
    ...{ notice: 1, waiting: [], started: 0, spent: { day: dayOf(deps.now()), amount: 0 } },
    ...{ everyMinutes: minutesOf(DEFAULT_EVERY), skip: [] },
    ...changesOf(deps, request, price + (collection?.price ?? 0)),
  };
  await deps.subscriptions.create(subscription);
  // Without a schedule, a subscription would never be checked.
  await putSchedule(deps, subscription).catch(async (error: unknown) => {
    await deps.subscriptions.remove(subscription.id);
    throw error;
  });
  return answerOf(deps, subscription, 'pending');
};

function changesOf(deps: ServiceDeps, change: Omit<SubscriptionChange, 'filter'>, least: number) {
  const fields = batchFieldsOf(deps, change);
  const maxCostPerDay = change.max_cost_per_day === undefined ? undefined : parseMoney(change.max_cost_per_day);
  if (maxCostPerDay !== undefined && maxCostPerDay < least) {
    throw invalidField(
      'max_cost_per_day',
      `must be at least ${formatMoney(least)}, the price of a check and one entry`,
    );
  }
  const everyMinutes = change.every === undefined ? undefined : minutesOf(change.every);
  return { ...fields, ...defined({ everyMinutes, maxCostPerDay }) };
}

/** GET /api/subscriptions: the caller's subscriptions, newest first. Internal services see all. */
export const listSubscriptions: UseCase<PageQuery, z.infer<typeof subscriptionListSchema>> = async (
  deps,
  caller,
  page,
) => {
  const { shown, next } = await ownPageOf(deps.subscriptions, caller, page);
  const subscriptions = shown.map((one) => renderSubscription(one, deps.now()));
  return { state: 'finished', body: { subscriptions, next_cursor: next } };
};

/** GET /api/subscriptions/{subscriptionId} */
export const getSubscription: UseCase<OneSubscription, SubscriptionAnswer> = async (deps, caller, input) =>
  answerOf(deps, await ownSubscription(deps, caller, input));

/** PATCH /api/subscriptions/{subscriptionId}: changes the given fields. */
export const changeSubscription: UseCase<OneSubscription & SubscriptionChange, SubscriptionAnswer> = async (
  deps,
  caller,
  { filter, ...input },
) => {
  const before = await ownSubscription(deps, caller, input);
  const changes = changesOf(deps, input, before.price + (before.checkPrice ?? 0));
  const source = filter === undefined ? {} : { source: { ...before.source, filter: keepingKinds(filter, before) } };
  await deps.subscriptions.change(before.id, { ...changes, ...source });
  const subscription = { ...before, ...changes, ...source };
  if (input.every !== undefined) await putSchedule(deps, subscription);
  return answerOf(deps, subscription);
};

function keepingKinds(filter: EntryFilter, { source }: StoredSubscription): EntryFilter {
  const [now = [], before = []] = [filter.kinds, source.filter.kinds];
  if ([...now].sort().join() !== [...before].sort().join()) {
    throw invalidField('filter.kinds', 'cannot be changed: delete the subscription and create another one');
  }
  return filter;
}

/** DELETE /api/subscriptions/{subscriptionId}: what was started goes on. */
export const removeSubscription: UseCase<OneSubscription, SubscriptionAnswer> = async (deps, caller, input) => {
  const subscription = await ownSubscription(deps, caller, input);
  await deps.schedules.remove(subscription.id);
  await deps.subscriptions.remove(subscription.id);
  return answerOf(deps, subscription);
};

/** POST /api/subscriptions/{subscriptionId}/pause */
export const pauseSubscription: UseCase<OneSubscription, SubscriptionAnswer> = async (deps, caller, input) => {
  const subscription = await ownSubscription(deps, caller, input);
  if (subscription.pause !== undefined) return answerOf(deps, subscription);
  await deps.subscriptions.change(subscription.id, { pause: 'requested' });
  await deps.schedules.pause(subscription.id, 'requested');
  return answerOf(deps, { ...subscription, pause: 'requested' });
};

/** POST /api/subscriptions/{subscriptionId}/resume: also starts the entries that wait, and a check. */
export const resumeSubscription: UseCase<OneSubscription, SubscriptionAnswer> = async (deps, caller, input) => {
  const { pause: _pause, failing: _failing, ...subscription } = await ownSubscription(deps, caller, input);
  await deps.subscriptions.change(subscription.id, {}, ['pause', 'failing']);
  await putSchedule(deps, subscription);
  return answerOf(deps, subscription, 'pending');
};

/** POST /api/subscriptions/{subscriptionId}/check: a check now. */
export const checkSubscription: UseCase<OneSubscription, SubscriptionAnswer> = async (deps, caller, input) => {
  const subscription = await ownSubscription(deps, caller, input);
  if (subscription.pause !== undefined) {
    throw new ApiError('not_ready', 'The subscription is paused: resume it first.', { id: subscription.id });
  }
  await putSchedule(deps, subscription);
  return answerOf(deps, subscription, 'pending');
};

/** GET /api/subscriptions/{subscriptionId}/items: the items of its batches, those of the newest one first. */
export const listSubscriptionItems: UseCase<
  OneSubscription & { readonly limit: number; readonly cursor?: string | undefined },
  z.infer<typeof subscriptionItemsSchema>
> = async (deps, caller, { limit, cursor, ...input }) => {
  const { id: subscriptionId } = await ownSubscription(deps, caller, input);
  const items: z.infer<typeof subscriptionItemsSchema>['items'] = [];
  const [from, start = '0'] = cursor?.split(':') ?? [];
  const first = from === undefined ? undefined : await deps.batches.get(from);
  const rest = await deps.batches.list({ startedBy: undefined, before: from, limit: limit + 1 }, { subscriptionId });
  for (const batch of [...(first?.subscriptionId === subscriptionId ? [first] : []), ...rest]) {
    for await (const one of storedItems(deps, batch, batch.id === from ? Number(start) : 0)) {
      if (items.length === limit) {
        return { state: 'finished', body: { items, next_cursor: `${batch.id}:${String(one.number)}` } };
      }
      items.push({ ...(await itemAnswerOf(deps, one)), batch_id: batch.id });
    }
  }
  return { state: 'finished', body: { items, next_cursor: null } };
};

async function putSchedule(deps: ServiceDeps, subscription: StoredSubscription): Promise<void> {
  const { id } = subscription;
  await deps.schedules.put(subscription);
  // A deletion that ran meanwhile may have ended before the schedule was put.
  if ((await deps.subscriptions.get(id)) === undefined) {
    await deps.schedules.remove(id);
    throw new ApiError('not_found', 'The subscription has been deleted.');
  }
}

function answerOf(
  deps: ServiceDeps,
  subscription: StoredSubscription,
  state: 'finished' | 'pending' = 'finished',
): Answer<SubscriptionAnswer> {
  return { state, body: renderSubscription(subscription, deps.now()), ...(state === 'pending' && { pollSeconds: 5 }) };
}

function ownSubscription(deps: ServiceDeps, caller: Caller, { subscription_id: id }: OneSubscription) {
  return ownOf(deps.subscriptions, caller, { id, what: 'subscription' });
}
