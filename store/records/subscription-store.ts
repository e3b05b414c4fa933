import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { Starter } from '../../contract/download-record.ts';
import type { StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { createScans } from '../mongo/scans.ts';
import { upsert } from '../mongo/upsert.ts';

type SubscriptionDocument = Omit<StoredSubscription, 'id'> & { _id: string };

interface KnownDocument {
  /** The ID of the subscription and that of the entry. */
  _id: string;
  subscriptionId: string;
  /** The batch that fetches the entry; absent if it is not fetched. */
  batchId?: string;
}

const AT_ONCE = 16;

/** All writes may be repeated. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

export function createSubscriptionStore(db: Db) {
  const subscriptions: Collection<SubscriptionDocument> = db.collection('subscriptions');
  const known: Collection<KnownDocument> = db.collection('subscription_entries');
  const scans = createScans();
  return {
    async create({ id, ...fields }: StoredSubscription): Promise<void> {
      await upsert(() => subscriptions.replaceOne({ _id: id }, fields, { upsert: true }));
    },
    async get(id: string): Promise<StoredSubscription | undefined> {
      const document = await subscriptions.findOne({ _id: id });
      return document === null ? undefined : fromDocument(document);
    },
    /** @param removed optional fields that the subscription no longer has */
    async change(
      id: string,
      fields: Partial<Omit<StoredSubscription, 'id'>>,
      removed: readonly (keyof StoredSubscription)[] = [],
    ): Promise<void> {
      const $unset = Object.fromEntries(removed.map((field) => [field, '']));
      const change = { ...(Object.keys(fields).length > 0 && { $set: fields }), ...(removed.length > 0 && { $unset }) };
      if (Object.keys(change).length === 0) return;
      await subscriptions.updateOne({ _id: id }, change as UpdateFilter<SubscriptionDocument>);
    },
    async remove(id: string): Promise<void> {
      await subscriptions.deleteOne({ _id: id });
      await known.deleteMany({ subscriptionId: id });
    },
    /** @param startedBy undefined: all subscriptions @returns a page, newest first */
    async list({
      startedBy,
      before,
      limit,
    }: {
      readonly startedBy: Starter | undefined;
      readonly before: string | undefined;
      readonly limit: number;
    }): Promise<readonly StoredSubscription[]> {
      const filter = { startedBy, ...(before !== undefined && { _id: { $lt: before } }) };
      const found = await scans(subscriptions, { filter: filter as Filter<SubscriptionDocument>, limit });
      return found.map(fromDocument);
    },
    /** @returns the batch of each known entry, or null if it is not fetched; unknown entries are missing */
    async known(subscriptionId: string, entryIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
      const found = new Map<string, string | null>();
      await inGroups(entryIds, async (entryId) => {
        const document = await known.findOne({ _id: knownIdOf(subscriptionId, entryId) });
        if (document !== null) found.set(entryId, document.batchId ?? null);
      });
      return found;
    },
    async addKnown(subscriptionId: string, entryIds: readonly string[], batchId?: string): Promise<void> {
      const fields = { subscriptionId, ...(batchId !== undefined && { batchId }) };
      await inGroups(entryIds, (entryId) =>
        upsert(() => known.replaceOne({ _id: knownIdOf(subscriptionId, entryId) }, fields, { upsert: true })),
      );
    },
  };
}

/** The embedded server finds one `_id` by its index and scans for several. */
async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}

function knownIdOf(subscriptionId: string, entryId: string): string {
  return `${subscriptionId}/${entryId}`;
}

function fromDocument({ _id, ...fields }: SubscriptionDocument): StoredSubscription {
  return { id: _id, ...fields };
}
