import type { Pause } from './pauses.ts';
import { pacingIdOf, type PacingStore, type Versioned } from './shares.ts';

const FRESH_MS = 1_000;
/** Sites that are remembered: nobody asks for more within a second. */
const MAX_KEPT = 1_000;

/** Tells the pause of a route or a site, if there is one. */
export type PauseView = (route: string) => Promise<Pause | undefined>;

/** @returns a function that tells the pause of a route or a site; however often it is asked, each document is read once a second */
export function createPauseView(store: PacingStore, taskQueue: string): PauseView {
  const kept = new Map<string, { readonly atMs: number; readonly found: Promise<Versioned | undefined> }>();
  return async (route) => {
    const id = pacingIdOf(taskQueue, route.startsWith('site/') ? route : undefined);
    const nowMs = performance.now();
    let look = kept.get(id);
    if (look === undefined || nowMs - look.atMs >= FRESH_MS) {
      if (kept.size >= MAX_KEPT) kept.clear();
      look = { atMs: nowMs, found: store.read(id) };
      kept.set(id, look);
      look.found.catch(() => kept.delete(id));
    }
    return (await look.found)?.state.routes[route]?.pause;
  };
}
