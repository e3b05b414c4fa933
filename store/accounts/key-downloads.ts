import type { Collection, Db } from 'mongodb';
import { nowMicroseconds } from '../mongo/clock.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** `_id`: the key and the record, so that a page is a range of the index that every collection has. */
interface KeyDownload {
  _id: string;
  askedAt: string;
}

const KNOWN_MAX = 10_000;

/** Which downloads a key has asked for. Downloads belong to no key: several may have asked for one. */
export type KeyDownloadStore = ReturnType<typeof createKeyDownloadStore>;

export function createKeyDownloadStore(db: Db) {
  const asked: Collection<KeyDownload> = db.collection('asked');
  /** What is noted stays: whoever polls asks the database once. */
  const known = new Set<string>();
  const know = (id: string): void => {
    for (const oldest of known) {
      if (known.size < KNOWN_MAX) break;
      known.delete(oldest);
    }
    known.add(id);
  };
  return {
    async note(keyId: string, recordId: string): Promise<void> {
      const id = `${keyId}/${recordId}`;
      if (known.has(id)) return;
      await upsertOne(asked, id, { $setOnInsert: { askedAt: nowMicroseconds() } });
      know(id);
    },
    async has(keyId: string, recordId: string): Promise<boolean> {
      const id = `${keyId}/${recordId}`;
      if (known.has(id)) return true;
      if ((await asked.findOne({ _id: id })) === null) return false;
      know(id);
      return true;
    },
    /** Ids of downloads, newest first. @param page.before only smaller ids */
    async list(
      keyId: string,
      { before, limit }: { before?: string | undefined; limit: number },
    ): Promise<readonly string[]> {
      const filter = { _id: { $gt: `${keyId}/`, $lt: `${keyId}/${before ?? '~'}` } };
      const found = await asked.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map(({ _id }) => _id.slice(keyId.length + 1));
    },
  };
}
