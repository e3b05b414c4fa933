import type { Collection, Db } from 'mongodb';
import { upsert } from './upsert.ts';

/** Requests that were answered "not yet", by caller and content, with the downloads that their repetition waits for. */
export interface AwaitedStore {
  /** @param id begins with its time, as {@link removeBefore} takes it */
  note(id: string, recordIds: readonly string[]): Promise<void>;
  get(id: string): Promise<readonly string[] | undefined>;
  /** Removes what begins with an earlier time. */
  removeBefore(time: string): Promise<void>;
}

interface AwaitedDocument {
  _id: string;
  recordIds: readonly string[];
}

export function createAwaitedStore(db: Db): AwaitedStore {
  const awaited: Collection<AwaitedDocument> = db.collection('awaited');
  return {
    async note(_id, recordIds) {
      await upsert(() => awaited.updateOne({ _id }, { $set: { recordIds } }, { upsert: true }));
    },
    get: async (_id) => (await awaited.findOne({ _id }))?.recordIds,
    async removeBefore(time) {
      await awaited.deleteMany({ _id: { $lt: time } });
    },
  };
}
