import { randomUUID } from 'node:crypto';
import type { BreakerStore, StoredBreaker } from '../../pacing/breaker-store.ts';
import { createBreakers, type Breakers } from '../../pacing/breakers.ts';
import { GENEROUS, routesWith } from './routes-with.ts';

export interface CountedBreakerStore extends BreakerStore {
  /** Reads and writes so far. */
  readonly operations: () => number;
}

/** Circuit breakers that workers share, for tests without a database. */
export function memoryBreakerStore(): CountedBreakerStore {
  const kept = new Map<string, StoredBreaker>();
  let operations = 0;
  return {
    operations: () => operations,
    read(route) {
      operations += 1;
      return Promise.resolve(kept.get(route));
    },
    replace(route, version, breaker) {
      operations += 1;
      if (kept.get(route)?.version !== version) return Promise.resolve(undefined);
      const stored = { ...breaker, version: randomUUID() };
      kept.set(route, stored);
      return Promise.resolve(stored);
    },
  };
}

/** One process's view of them. */
export function breakersOn(store: BreakerStore = memoryBreakerStore(), routes = routesWith(GENEROUS)): Breakers {
  const onError = (error: unknown): never => {
    throw error;
  };
  return createBreakers({ store, routes, onError });
}
