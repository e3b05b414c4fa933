import type { Collection, Db } from 'mongodb';
import { WEBHOOKS_PER_HOST_MAX, WEBHOOKS_PER_JOB_MAX } from '../../contract/request-limits.ts';
import { receiverHostOf } from '../../contract/http/webhook-delivery.ts';
import { upsertOne } from '../mongo/upsert.ts';

export interface WebhookSubscription {
  /** Identifies the callers that share a limit, such as a key. It contains no line breaks. */
  readonly caller: string;
  readonly url: string;
}

/**
 * `known`: the job knows the subscription already; `accepted`: it is within the limits and must be signalled to the job;
 * `job_full` and `host_full`: the job, or the caller's part of it at this host, is at its limit.
 */
export type SubscribeDecision = 'known' | 'accepted' | 'job_full' | 'host_full';

interface SubscriptionsDocument {
  _id: string;
  /** In the order of their arrival, which decides which are within the limits, so that one write is enough. */
  claimed?: readonly string[];
  /** Those that the job knows. */
  known?: readonly string[];
  /** URLs that were subscribed after the job had ended. */
  late?: readonly string[];
}

export type WebhookSubscriptionStore = ReturnType<typeof createWebhookSubscriptionStore>;

export function createWebhookSubscriptionStore(db: Db) {
  const subscriptions: Collection<SubscriptionsDocument> = db.collection('receivers');
  return {
    /** May be repeated. @param first the subscription that the job was started with; it is part of the record */
    async claim(
      recordId: string,
      subscription: WebhookSubscription,
      first?: WebhookSubscription,
    ): Promise<SubscribeDecision> {
      const entry = entryOf(subscription);
      const before = first === undefined ? [] : [entryOf(first)];
      if (before.includes(entry)) return 'known';
      const stored = await subscriptions.findOne({ _id: recordId });
      if (stored?.known?.includes(entry) === true) return 'known';
      // A refused subscription is not stored, so that a flood does not grow the document.
      const decision = decide(entry, [...before, ...(stored?.claimed ?? [])]);
      if (decision !== 'accepted') return decision;
      const { claimed = [] } = await upsertOne(subscriptions, recordId, { $addToSet: { claimed: entry } });
      return decide(entry, [...before, ...claimed]);
    },
    /** Records that the job knows a subscription, which counts as claimed from then on. */
    async markKnown(recordId: string, subscription: WebhookSubscription): Promise<void> {
      const entry = entryOf(subscription);
      await upsertOne(subscriptions, recordId, { $addToSet: { claimed: entry, known: entry } });
    },
    /**
     * Records that a URL was subscribed after the job had ended. @param firstUrl the URL that the job was started with
     * @returns the number of the URL among those, from 1, which never changes; undefined if the URL was subscribed before
     */
    async lateNumberOf(recordId: string, url: string, firstUrl?: string): Promise<number | undefined> {
      if (url === firstUrl) return undefined;
      const stored = await subscriptions.findOne({ _id: recordId });
      if (stored?.known?.some((entry) => entry.endsWith(`\n${url}`)) === true) return undefined;
      const { late = [] } = await upsertOne(subscriptions, recordId, { $addToSet: { late: url } });
      return late.indexOf(url) + 1;
    },
  };
}

/** @param entries only those before the entry count; the entry may be among them */
function decide(entry: string, entries: readonly string[]): Exclude<SubscribeDecision, 'known'> {
  const acceptedByHost = new Map<string, number>();
  let acceptedByJob = 0;
  for (const one of [...entries, entry]) {
    const key = hostKeyOf(one);
    const atHost = acceptedByHost.get(key) ?? 0;
    const isJobFull = acceptedByJob >= WEBHOOKS_PER_JOB_MAX;
    const decision = isJobFull ? 'job_full' : atHost >= WEBHOOKS_PER_HOST_MAX ? 'host_full' : 'accepted';
    if (one === entry) return decision;
    if (decision !== 'accepted') continue;
    acceptedByJob += 1;
    acceptedByHost.set(key, atHost + 1);
  }
  return 'accepted';
}

function entryOf({ caller, url }: WebhookSubscription): string {
  return `${caller}\n${url}`;
}

function hostKeyOf(entry: string): string {
  const [caller = '', url = ''] = entry.split('\n');
  return `${caller}\n${receiverHostOf(url)}`;
}
