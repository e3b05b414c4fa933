interface RecentCacheOptions {
  readonly keptMs: number;
  readonly most: number;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/** Caches values for a short time. When there are too many, the oldest go. */
export function createRecentCache<Value>({ keptMs, most, now = () => performance.now() }: RecentCacheOptions) {
  const kept = new Map<string, { readonly value: Value; readonly keptAtMs: number }>();
  const evict = (limit: number): void => {
    for (const [key, { keptAtMs }] of kept) {
      if (kept.size <= limit && now() - keptAtMs < keptMs) return;
      kept.delete(key);
    }
  };
  return {
    /** @param maxAgeMs the age of a value that is good enough */
    get(key: string, maxAgeMs = keptMs): Value | undefined {
      evict(most);
      const found = kept.get(key);
      return found !== undefined && now() - found.keptAtMs < maxAgeMs ? found.value : undefined;
    },
    keep(key: string, value: Value): Value {
      kept.delete(key);
      evict(most - 1);
      kept.set(key, { value, keptAtMs: now() });
      return value;
    },
    forget: (key: string): boolean => kept.delete(key),
  };
}

/** Removes the oldest entries of a map until it has fewer than `limit`, so that one can be added. */
export function makeRoom(map: Map<unknown, unknown>, limit: number): void {
  for (const oldest of map.keys()) {
    if (map.size < limit) return;
    map.delete(oldest);
  }
}
