import type { Collection, Db } from 'mongodb';
import { nowMicroseconds } from './clock.ts';
import { upsertOne } from './upsert.ts';

/** Which downloads a key has asked for. Downloads belong to no key: several may have asked for one. */
export interface KeyDownloadStore {
  note(keyId: string, recordId: string): Promise<void>;
  has(keyId: string, recordId: string): Promise<boolean>;
  /** Ids of downloads, newest first. @param page.before only smaller ids */
  list(keyId: string, page: { before?: string | undefined; limit: number }): Promise<readonly string[]>;
}

/** `_id`: the key and the record, so that a page is a range of the index that every collection has. */
interface KeyDownload {
  _id: string;
  askedAt: string;
}

export function createKeyDownloadStore(db: Db): KeyDownloadStore {
  const asked: Collection<KeyDownload> = db.collection('asked');
  return {
    async note(keyId, recordId) {
      await upsertOne(asked, `${keyId}/${recordId}`, { $setOnInsert: { askedAt: nowMicroseconds() } });
    },
    has: async (keyId, recordId) => (await asked.findOne({ _id: `${keyId}/${recordId}` })) !== null,
    async list(keyId, { before, limit }) {
      const filter = { _id: { $gt: `${keyId}/`, $lt: `${keyId}/${before ?? '~'}` } };
      const found = await asked.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map(({ _id }) => _id.slice(keyId.length + 1));
    },
  };
}
