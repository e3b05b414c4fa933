import { MongoNetworkTimeoutError, type Db, type IndexSpecification } from 'mongodb';

/** Building an index takes longer than a request may. The server continues, and a repeated request waits for it. */
const MAX_ATTEMPTS = 100;

/** Listings are paged by `_id`. The embedded server supports neither unique nor partial nor TTL indexes. */
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

/** Creates missing indexes. Several processes may do this at once, and while others write. */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, keys] of Object.entries(INDEXES)) {
    for (const key of keys) await retryTimeouts(() => db.collection(collection).createIndex(key));
  }
}

async function retryTimeouts(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
