import type { Collection, Db } from 'mongodb';
import { upsertOne } from './upsert.ts';

export const WINDOW_MS = 60_000;

/** The requests of a caller in a minute that began with the first of them. */
export interface RequestCount {
  /** When the window began, in milliseconds since 1970. */
  readonly startMs: number;
  readonly used: number;
}

/** Counts that several processes share. */
export interface RequestCountStore {
  /** Adds to the window that is open, or begins one. @returns the sum */
  add(caller: string, amount: number, nowMs: number): Promise<RequestCount>;
  /** Removes what began earlier. (Not every server that speaks MongoDB's protocol removes old documents itself.) */
  removeBefore(ms: number): Promise<void>;
}

/**
 * At most one window of a caller begins in each minute of the clock, so all processes know its `_id`, and the first write
 * sets its begin. Nothing but `_id` is asked for: the embedded server scans for anything else.
 */
export function createRequestCountStore(db: Db): RequestCountStore {
  // A count that is lost by a crash of the server is no harm, so nobody waits for a journal.
  const windows: Collection<RequestCount & { _id: string }> = db.collection('windows', { writeConcern: { w: 1 } });
  return {
    async add(caller, amount, nowMs) {
      const before = await windows.findOne({ _id: `${minuteOf(nowMs - WINDOW_MS)}/${caller}` });
      const startMs = before !== null && nowMs < before.startMs + WINDOW_MS ? before.startMs : nowMs;
      const change = { $inc: { used: amount }, $setOnInsert: { startMs } };
      return upsertOne(windows, `${minuteOf(startMs)}/${caller}`, change);
    },
    async removeBefore(ms) {
      await windows.deleteMany({ _id: { $lt: minuteOf(ms) } });
    },
  };
}

/** As the beginning of ids that sort by it. */
function minuteOf(ms: number): string {
  return String(Math.floor(ms / WINDOW_MS) * WINDOW_MS).padStart(14, '0');
}
