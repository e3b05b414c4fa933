import { MongoNetworkTimeoutError, type Db, type IndexSpecification } from 'mongodb';

/** Building the index of a large collection outlives a request: the server goes on, and a repeated request waits for it. */
const ATTEMPTS = 100;

/**
 * Listings are paged by `_id`, so each index ends with it after the field that is filtered by. What is found by `_id` and its
 * ranges alone (contents, accounts, the downloads of a key, the ledger) needs no index. None is unique, partial or a TTL
 * index, since the embedded server supports only plain ones.
 */
const INDEXES: Readonly<Record<string, readonly IndexSpecification[]>> = {
  records: [
    { status: 1, _id: -1 },
    { type: 1, _id: -1 },
    { mediaId: 1, _id: -1 },
    { chargedTo: 1, _id: -1 },
    { createdAt: -1 },
    { finishedAt: -1 },
  ],
  deliveries: [
    { subscribedBy: 1, _id: -1 },
    { state: 1, _id: -1 },
  ],
};

/** Creates the indexes that are missing. Several processes may do that at once, also while others write. */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, keys] of Object.entries(INDEXES)) {
    for (const key of keys) await insist(() => db.collection(collection).createIndex(key));
  }
}

async function insist(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || attempt === ATTEMPTS) throw error;
    }
  }
}
