import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

export const WINDOW_MS = 60_000;

/** The requests of a caller in a minute that began with the first of them. */
export interface RequestCount {
  /** When the window began, in milliseconds since 1970. */
  readonly startMs: number;
  readonly used: number;
}

/** Counts that several processes share. */
export type RequestCountStore = ReturnType<typeof createRequestCountStore>;

/**
 * At most one window of a caller begins in each minute of the clock, so all processes know its `_id`, and the first write
 * sets its begin. Nothing but `_id` is asked for: the embedded server scans for anything else.
 */
export function createRequestCountStore(db: Db) {
  // A count that is lost by a crash of the server is no harm, so nobody waits for a journal.
  const windows: Collection<RequestCount & { _id: string }> = db.collection('windows', { writeConcern: { w: 1 } });
  return {
    /**
     * Adds to the window that is open, or begins one.
     *
     * @param window since when it is open: as the store has told, or from when on it would be if there were none
     * @returns the sum
     */
    async add(caller: string, amount: number, window: { startMs: number; isKnown: boolean }): Promise<RequestCount> {
      let { startMs } = window;
      if (!window.isKnown) {
        const before = await windows.findOne({ _id: `${minuteOf(startMs - WINDOW_MS)}/${caller}` });
        if (before !== null && startMs < before.startMs + WINDOW_MS) startMs = before.startMs;
      }
      const change = { $inc: { used: amount }, $setOnInsert: { startMs } };
      return upsertOne(windows, `${minuteOf(startMs)}/${caller}`, change);
    },
    /** Removes what began earlier. (Not every server that speaks MongoDB's protocol removes old documents itself.) */
    async removeBefore(ms: number): Promise<void> {
      await windows.deleteMany({ _id: { $lt: minuteOf(ms) } });
    },
  };
}

/** As the beginning of ids that sort by it. */
function minuteOf(ms: number): string {
  return String(Math.floor(ms / WINDOW_MS) * WINDOW_MS).padStart(14, '0');
}
