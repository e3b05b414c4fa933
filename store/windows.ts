import type { Collection, Db } from 'mongodb';
import { upsert } from './upsert.ts';

/** What a caller did in a window of time. */
export interface Tally {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  /** Requests that are not polls. */
  readonly used: number;
  /** How often each poll was made, by its key, which has neither dots nor dollar signs. */
  readonly polls: Readonly<Record<string, number>>;
  /** The same for requests that may be polls later; they are in `used` too. */
  readonly others: Readonly<Record<string, number>>;
}

/** Tallies that several processes share, each for a short time. */
export interface WindowStore {
  get(id: string): Promise<Tally | undefined>;
  /**
   * Adds to a tally.
   *
   * @param id begins with its time, as {@link removeBefore} takes it
   * @param added with the start of a tally that is not there yet
   * @returns the sums, and the start that counts
   */
  add(id: string, added: Tally): Promise<Tally>;
  /** Removes what begins with an earlier time. (Not every server that speaks MongoDB's protocol removes old documents itself.) */
  removeBefore(time: string): Promise<void>;
}

type WindowDocument = Partial<Tally> & { _id: string };

export function createWindowStore(db: Db): WindowStore {
  const windows: Collection<WindowDocument> = db.collection('windows');
  // A count that is lost by a crash of the server is no harm, so nobody waits for a journal.
  const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const;
  return {
    async get(_id) {
      const window = await windows.findOne({ _id });
      return window === null ? undefined : tallyOf(window);
    },
    async add(_id, { startMs, used, polls, others }) {
      const $inc = { used, ...fieldsOf('polls', polls), ...fieldsOf('others', others) };
      const window = await upsert(() =>
        windows.findOneAndUpdate({ _id }, { $inc, $setOnInsert: { startMs } }, options),
      );
      return window === null ? { startMs, used, polls, others } : tallyOf(window);
    },
    async removeBefore(time) {
      await windows.deleteMany({ _id: { $lt: time } });
    },
  };
}

/** Older versions kept one sum only. */
function tallyOf({ startMs = 0, used = 0, polls = {}, others = {} }: WindowDocument): Tally {
  return { startMs, used, polls, others };
}

function fieldsOf(name: string, counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [`${name}.${key}`, count]));
}
