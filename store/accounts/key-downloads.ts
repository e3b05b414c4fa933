import type { Db } from 'mongodb';
import { makeRoom } from '../../runtime/recent-cache.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import { upsertOne } from '../mongo/upsert.ts';

const MAX_CACHED = 10_000;

export type KeyDownloadStore = ReturnType<typeof createKeyDownloadStore>;

export function createKeyDownloadStore(db: Db) {
  // `_id`: the key ID and the record ID, so that a page is a range of the index that every collection has.
  const requests = db.collection<{ _id: string; requestedAt: string }>('key_downloads');
  /** Entries are never removed, so a caller that polls needs one query. */
  const cached = new Map<string, true>();
  const cache = (id: string): void => {
    makeRoom(cached, MAX_CACHED);
    cached.set(id, true);
  };
  return {
    async note(keyId: string, recordId: string): Promise<void> {
      const id = `${keyId}/${recordId}`;
      if (cached.has(id)) return;
      await upsertOne(requests, id, { $setOnInsert: { requestedAt: nowMicroseconds() } });
      cache(id);
    },
    async has(keyId: string, recordId: string): Promise<boolean> {
      const id = `${keyId}/${recordId}`;
      if (cached.has(id)) return true;
      if ((await requests.findOne({ _id: id })) === null) return false;
      cache(id);
      return true;
    },
    /** @param page.before only smaller IDs @returns record IDs, newest first */
    async list(
      keyId: string,
      { before, limit }: { before?: string | undefined; limit: number },
    ): Promise<readonly string[]> {
      const filter = { _id: { $gt: `${keyId}/`, $lt: `${keyId}/${before ?? '~'}` } };
      const found = await requests.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map(({ _id }) => _id.slice(keyId.length + 1));
    },
  };
}
