import type { Collection, Db } from 'mongodb';
import { upsertOne } from '../mongo/upsert.ts';

export const WINDOW_MS = 60_000;

export interface RequestCount {
  /** When the window began, in milliseconds since 1970. */
  readonly startMs: number;
  readonly used: number;
}

export type RequestCountStore = ReturnType<typeof createRequestCountStore>;

/** Shared by all api processes. Only `_id` is queried, because the embedded server scans for any other filter. */
export function createRequestCountStore(db: Db) {
  // A crash of the server may lose counts, so writes do not wait for the journal.
  const windows: Collection<RequestCount & { _id: string }> = db.collection('windows', { writeConcern: { w: 1 } });
  return {
    /** @param window.startMs the start of the known window, or of the window to begin if none is open */
    async add(caller: string, amount: number, window: { startMs: number; isKnown: boolean }): Promise<RequestCount> {
      let { startMs } = window;
      if (!window.isKnown) {
        const before = await windows.findOne({ _id: `${minuteOf(startMs - WINDOW_MS)}/${caller}` });
        if (before !== null && startMs < before.startMs + WINDOW_MS) startMs = before.startMs;
      }
      const change = { $inc: { used: amount }, $setOnInsert: { startMs } };
      return upsertOne(windows, `${minuteOf(startMs)}/${caller}`, change);
    },
    /** Removes windows that began earlier. The embedded server has no TTL indexes. */
    async removeBefore(ms: number): Promise<void> {
      await windows.deleteMany({ _id: { $lt: minuteOf(ms) } });
    },
  };
}

/** @returns the minute of a time, in a form that sorts like the time */
function minuteOf(ms: number): string {
  return String(Math.floor(ms / WINDOW_MS) * WINDOW_MS).padStart(14, '0');
}
