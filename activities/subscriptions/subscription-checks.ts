import { ulid } from 'ulid';
import type { Failure } from '../../contract/failures.ts';
import {
  GIVE_UP_CHECKS,
  GIVE_UP_MS,
  type StoredSubscription,
  type SubscriptionPause,
} from '../../contract/subscriptions/subscription-state.ts';
import type { Routes } from '../../pacing/routes.ts';
import { optional } from '../../runtime/optional.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import type { SubscriptionStore } from '../../store/records/subscription-store.ts';
import { listingOf, type ListingOrder } from '../batches/list-source.ts';
import { callerOf } from '../caller-of.ts';

export interface SubscriptionChecksDeps {
  readonly subscriptions: SubscriptionStore;
  readonly keys: Pick<KeyStore, 'get'>;
  readonly routes: Routes;
  readonly now: () => number;
  /** Pauses the schedule of a subscription. */
  readonly pauseSchedule: (subscriptionId: string, note: string) => Promise<void>;
}

interface OneSubscription {
  readonly subscriptionId: string;
}

export interface CheckOrder extends ListingOrder {
  readonly startedBy: string;
  readonly webhookUrl?: string;
}

export interface CheckEnd {
  /** The batch of what is new. */
  readonly batchId?: string;
  /** The number of the webhook about a pause. */
  readonly notice?: number;
}

/** The steps of a check that need no upstream. */
export function createSubscriptionChecks(deps: SubscriptionChecksDeps) {
  const { subscriptions } = deps;
  const pause = async ({ id, notice }: StoredSubscription, reason: SubscriptionPause): Promise<number> => {
    await subscriptions.change(id, { pause: reason, notice: notice + 1 });
    await deps.pauseSchedule(id, reason);
    return notice;
  };
  return {
    /** @returns what the check needs; undefined if the subscription is paused or was deleted */
    async beginCheck({ subscriptionId: id }: OneSubscription): Promise<CheckOrder | undefined> {
      const subscription = await subscriptions.get(id);
      if (subscription === undefined || subscription.pause !== undefined) return undefined;
      if ((await callerOf(deps.keys, subscription)) === undefined) {
        await pause(subscription, 'key_revoked');
        return undefined;
      }
      const { source, startedBy, webhookUrl, openBatch = { id: ulid(), isFull: false } } = subscription;
      await subscriptions.change(id, { openBatch });
      return { ...listingOf(source, deps.routes), startedBy, ...optional('webhookUrl', webhookUrl) };
    },

    /** Stores how a check has ended. A source that fails for long pauses the subscription. */
    async endCheck({
      subscriptionId: id,
      failure,
    }: OneSubscription & { readonly failure?: Failure }): Promise<CheckEnd> {
      const subscription = await subscriptions.get(id);
      if (subscription === undefined) return {};
      const { openBatch, failing, pause: reason } = subscription;
      if (failure === undefined) {
        await subscriptions.change(id, { checkedAtMs: deps.now() }, ['failing']);
        if (reason === 'backlog') return { notice: await pause(subscription, 'backlog') };
        return openBatch?.isFull === true ? { batchId: openBatch.id } : {};
      }
      const { sinceMs = deps.now(), checks = 0 } = failing ?? {};
      await subscriptions.change(id, {
        checkedAtMs: deps.now(),
        failing: { sinceMs, checks: checks + 1, failure },
      });
      const isLong = checks + 1 >= GIVE_UP_CHECKS && deps.now() - sinceMs >= GIVE_UP_MS;
      return isLong ? { notice: await pause(subscription, 'source_failed') } : {};
    },

    /** The batch of a check has been started. */
    async closeCheck({ subscriptionId }: OneSubscription): Promise<void> {
      await subscriptions.change(subscriptionId, {}, ['openBatch']);
    },
  };
}
