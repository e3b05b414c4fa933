import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { type Breaker, DAY_MS } from './breaker.ts';

export interface StoredBreaker extends Breaker {
  readonly version: string;
}

/** @returns the same breaker, or undefined, to leave it unchanged */
export type BreakerChange = (before: StoredBreaker | undefined) => Breaker | undefined;

export type BreakerStore = ReturnType<typeof createBreakerStore>;

/** A breaker that ended this long ago is removed, because the first job of its route is as good as a trial. */
const KEPT_MS = 3_600_000;
const DUPLICATE_KEY = 11_000;

/**
 * Stores the circuit breakers that all workers share.
 *
 * @param taskQueue a part of the IDs, because services that share a database have circuit breakers of their own
 */
export function createBreakerStore(db: Db, taskQueue: string) {
  const documents = db.collection<StoredBreaker & { _id: string }>('circuit_breakers');
  // The starts of days are in the same collection, so that one deletion removes all that is old.
  const days = db.collection<Pick<Breaker, 'untilMs'> & { _id: string; starts: number }>('circuit_breakers');
  return {
    read: async (route: string): Promise<StoredBreaker | undefined> =>
      (await documents.findOne({ _id: `${taskQueue}/${route}` }, { projection: { _id: 0 } })) ?? undefined,

    /** @returns undefined unless `version` is the newest; a breaker that does not exist has none */
    replace: async (route: string, version: string | undefined, breaker: Breaker) => {
      const stored: StoredBreaker = { ...breaker, version: randomUUID() };
      const newest = { _id: `${taskQueue}/${route}`, version: version ?? { $exists: false } };
      try {
        const result = await documents.replaceOne(newest, stored, { upsert: version === undefined });
        if (result.matchedCount + result.upsertedCount === 0) return undefined;
      } catch (error) {
        if ((error as { code?: unknown }).code === DUPLICATE_KEY) return undefined;
        throw error;
      }
      await documents.deleteMany({ untilMs: { $lt: Date.now() - KEPT_MS } });
      return stored;
    },

    /** @returns the number of starts of a route by all workers on this day (UTC), with this one */
    countStart: async (route: string, nowMs: number): Promise<number> => {
      const untilMs = nowMs - (nowMs % DAY_MS) + DAY_MS;
      const change = { $inc: { starts: 1 }, $setOnInsert: { untilMs } };
      const count = () =>
        days.findOneAndUpdate({ _id: `${taskQueue}/${route}/${untilMs}` }, change, {
          ...{ upsert: true, returnDocument: 'after' },
        });
      // If two workers count the first start of a day at the same time, one of the upserts fails.
      const counted = await count().catch(count);
      if (counted === null) throw new Error(`the starts of ${route} were not counted`);
      return counted.starts;
    },
  };
}

/** Applies a change to the newest breaker, again if another writer was first. @returns the newest breaker */
export async function changeBreaker(store: BreakerStore, route: string, how: BreakerChange) {
  for (;;) {
    const before = await store.read(route);
    const after = how(before);
    if (after === undefined || after === before) return before;
    const stored = await store.replace(route, before?.version, after);
    if (stored !== undefined) return stored;
  }
}
