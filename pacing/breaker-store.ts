import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Breaker } from './breaker.ts';

/** A circuit breaker as it was read. */
export interface StoredBreaker {
  readonly version: string;
  readonly breaker: Breaker;
}

/** Where workers share circuit breakers. A write succeeds only for a writer that knows the newest version. */
export interface BreakerStore {
  readonly read: (route: string) => Promise<StoredBreaker | undefined>;
  /** @param version of what is replaced; undefined where there is none. @returns undefined when it has changed meanwhile */
  readonly replace: (
    route: string,
    version: string | undefined,
    breaker: Breaker,
  ) => Promise<StoredBreaker | undefined>;
}

interface BreakerDocument extends Breaker {
  _id: string;
  version: string;
}

/** A breaker whose time has been over for so long is removed: the first job of its route is as good as a trial. */
const KEPT_MS = 3_600_000;
const DUPLICATE_KEY = 11_000;

/** @param taskQueue part of the ids: services that share a database have circuit breakers of their own */
export function createBreakerStore(db: Db, taskQueue: string): BreakerStore {
  const documents: Collection<BreakerDocument> = db.collection('circuit_breakers');
  const insert = async (document: BreakerDocument): Promise<boolean> => {
    try {
      await documents.insertOne(document);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === DUPLICATE_KEY) return false;
      throw error;
    }
  };
  return {
    async read(route) {
      const document = await documents.findOne({ _id: `${taskQueue}/${route}` });
      if (document === null) return undefined;
      const { _id, version, ...breaker } = document;
      return { version, breaker };
    },
    async replace(route, version, breaker) {
      const next = { version: randomUUID(), breaker };
      const document = { _id: `${taskQueue}/${route}`, version: next.version, ...breaker };
      const isWritten =
        version === undefined
          ? await insert(document)
          : (await documents.replaceOne({ _id: document._id, version }, document)).matchedCount === 1;
      if (isWritten) await documents.deleteMany({ untilMs: { $lt: Date.now() - KEPT_MS } });
      return isWritten ? next : undefined;
    },
  };
}
