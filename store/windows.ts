import type { Collection, Db } from 'mongodb';
import { upsert } from './upsert.ts';

/** Counters that several processes share, each for a short time. */
export interface WindowStore {
  /** Adds to a counter, which starts at 0. @param id begins with its time, as {@link removeBefore} takes it @returns the sum */
  add(id: string, count: number): Promise<number>;
  /** Removes what begins with an earlier time. (Not every server that speaks MongoDB's protocol removes old documents itself.) */
  removeBefore(time: string): Promise<void>;
}

interface WindowDocument {
  _id: string;
  used: number;
}

export function createWindowStore(db: Db): WindowStore {
  const windows: Collection<WindowDocument> = db.collection('windows');
  // A count that is lost by a crash of the server is no harm, so nobody waits for a journal.
  const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const;
  return {
    async add(_id, count) {
      const window = await upsert(() => windows.findOneAndUpdate({ _id }, { $inc: { used: count } }, options));
      return window?.used ?? count;
    },
    async removeBefore(time) {
      await windows.deleteMany({ _id: { $lt: time } });
    },
  };
}
