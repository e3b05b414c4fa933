import type { Collection, Db } from 'mongodb';
import type { StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { inGroups } from '../../runtime/in-groups.ts';
import { upsert } from '../mongo/upsert.ts';
import { createOwnedDocuments } from './owned-documents.ts';

/** `_id`: the ID of the subscription and that of the entry. `batchId` is absent if no batch fetches the entry. */
interface KnownDocument {
  _id: string;
  subscriptionId: string;
  batchId?: string;
}

/** The embedded server finds one `_id` by its index and scans for several. */
const AT_ONCE = 16;

/** All writes may be repeated. */
export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>;

export function createSubscriptionStore(db: Db) {
  const subscriptions = createOwnedDocuments<StoredSubscription>(db, 'subscriptions');
  const known: Collection<KnownDocument> = db.collection('subscription_entries');
  return {
    ...subscriptions,
    async remove(id: string): Promise<void> {
      await subscriptions.remove(id);
      await known.deleteMany({ subscriptionId: id });
    },
    /** @returns the batch of each known entry, or null if it is not fetched; unknown entries are missing */
    async known(subscriptionId: string, entryIds: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
      const found = new Map<string, string | null>();
      await inGroups(entryIds, AT_ONCE, async (entryId) => {
        const document = await known.findOne({ _id: knownIdOf(subscriptionId, entryId) });
        if (document !== null) found.set(entryId, document.batchId ?? null);
      });
      return found;
    },
    async addKnown(subscriptionId: string, entryIds: readonly string[], batchId?: string): Promise<void> {
      const fields = { subscriptionId, ...(batchId !== undefined && { batchId }) };
      await inGroups(entryIds, AT_ONCE, (entryId) =>
        upsert(() => known.replaceOne({ _id: knownIdOf(subscriptionId, entryId) }, fields, { upsert: true })),
      );
    },
  };
}

function knownIdOf(subscriptionId: string, entryId: string): string {
  return `${subscriptionId}/${entryId}`;
}
