import type { PacingStore, Versioned } from '../../runtime/shares.ts';

/** What workers share, for tests without a database. */
export function memoryPacing(): PacingStore {
  const kept = new Map<string, Versioned>();
  return {
    ids: () => Promise.resolve([...kept.keys()]),
    read: (id) => Promise.resolve(kept.get(id)),
    replace(id, version, state) {
      if ((kept.get(id)?.version ?? 0) !== version) return Promise.resolve(false);
      kept.set(id, { version: version + 1, state });
      return Promise.resolve(true);
    },
    remove(id, version) {
      if (kept.get(id)?.version !== version) return Promise.resolve(false);
      kept.delete(id);
      return Promise.resolve(true);
    },
  };
}
