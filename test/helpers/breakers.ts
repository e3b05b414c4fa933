import { randomUUID } from 'node:crypto';
import type { Route, Routes } from '../../pacing/routes.ts';
import type { BreakerStore, StoredBreaker } from '../../pacing/breaker-store.ts';
import { createBreakers, type Breakers } from '../../pacing/breakers.ts';

export type RouteLimits = Omit<Route, 'route'>;

/** Limits that hold up nothing. */
export const GENEROUS: RouteLimits = {
  maxAtOnce: 100,
  startsPerMinute: 100_000,
  firstPauseSeconds: 15,
  maxPauseSeconds: 900,
};

/** Every use of an upstream on a route of its own, all with the same limits. */
export function routesWith(limits: RouteLimits): Routes {
  return {
    'vidnet-page': { route: 'page', ...limits },
    'vidnet-listing': { route: 'listing', ...limits },
    'vidnet-comments': { route: 'comments', ...limits },
    'imgnet-dataset': { route: 'dataset', ...limits },
    'imgnet-media': { route: 'media', ...limits },
    site: limits,
  };
}

export interface CountedBreakerStore extends BreakerStore {
  /** Reads and writes so far. */
  readonly operations: () => number;
}

/** Circuit breakers that workers share, for tests without a database. */
export function memoryBreakerStore(): CountedBreakerStore {
  const kept = new Map<string, StoredBreaker>();
  const starts = new Map<string, number>();
  let operations = 0;
  return {
    operations: () => operations,
    read(route) {
      operations += 1;
      return Promise.resolve(kept.get(route));
    },
    countStart(route, nowMs) {
      operations += 1;
      const day = `${route}/${new Date(nowMs).toISOString().slice(0, 10)}`;
      starts.set(day, (starts.get(day) ?? 0) + 1);
      return Promise.resolve(starts.get(day) ?? 0);
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
