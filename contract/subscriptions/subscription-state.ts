import type { BatchSource, ListRun } from '../batches/batch-state.ts';
import type { Starter } from '../download-record.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { ListEntry, ListPart } from '../lists/list-entry.ts';
import type { Thousandths } from '../money.ts';

/** Why a subscription is paused. */
export const SUBSCRIPTION_PAUSES = {
  requested: 'It was paused by a request.',
  backlog: 'It was begun with `since: all`, and its source has entries that are fetched when it is resumed.',
  source_failed: 'Its source has failed or refused for a day or longer.',
  key_revoked: 'The API key that created it was revoked.',
} as const;
export type SubscriptionPause = keyof typeof SUBSCRIPTION_PAUSES;

/** An entry that has been seen and is not fetched yet: a premiere or broadcast that has not ended, or one for which the day has no money. */
export interface WaitingEntry extends ListEntry {
  readonly seenAtMs: number;
}

export interface StoredSubscription {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly startedBy: Starter;
  readonly createdAt: string;
  readonly name?: string;
  readonly source: Pick<BatchSource, 'url' | 'list' | 'each' | 'filter'>;
  /** `now`, `all` or a day. */
  readonly since: string;
  readonly everyMinutes: number;
  readonly maxCostPerDay?: Thousandths;
  readonly skip: readonly FailureCode[];
  readonly webhookUrl?: string;
  readonly itemWebhookUrl?: string;
  /** Set while it is paused. */
  readonly pause?: SubscriptionPause;
  /** The number of its next webhook. */
  readonly notice: number;
  /** Found by the first check, so that later ones are one request. */
  readonly parts?: readonly ListPart[];
  /** How many entries the source had at the last check, if it says so. */
  readonly total?: number;
  readonly waiting: readonly WaitingEntry[];
  /** Entries that were started. */
  readonly started: number;
  /** The prices of what was started on a day in UTC. */
  readonly spent: { readonly day: string; readonly amount: Thousandths };
  /** The price of one entry. */
  readonly price: Thousandths;
  /** For a profile: the price of its list, which each check collects, as it was known at first. */
  readonly checkPrice?: Thousandths;
  readonly listRun?: ListRun;
  /** The batch of a check that has not ended; it is full when its items are stored. */
  readonly openBatch?: { readonly id: string; readonly isFull: boolean };
  readonly checkedAtMs?: number;
  /** The checks that have failed since one has succeeded. */
  readonly failing?: { readonly sinceMs: number; readonly checks: number; readonly failure: Failure };
}

/** The source is given up after so many failed checks in this time. */
export const GIVE_UP_CHECKS = 3;
export const GIVE_UP_MS = 24 * 3_600_000;

/** `X-Webhook-Endpoint` of the webhook of a subscription that was paused. */
export const SUBSCRIPTION_ENDPOINT = 'subscriptions';

/** The ID of the schedule of a subscription; those of the workflows of its checks begin with it. */
export function subscriptionScheduleIdOf(subscriptionId: string): string {
  return `subscription/${subscriptionId}`;
}

/** @returns the prices of what was started on the day of a time */
export function spentOn(nowMs: number, { spent }: Pick<StoredSubscription, 'spent'>): Thousandths {
  return spent.day === dayOf(nowMs) ? spent.amount : 0;
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
