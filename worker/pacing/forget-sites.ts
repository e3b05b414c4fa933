import { isForgettable, pacingIdOf, type PacingStore } from '../../runtime/shares.ts';

/** Removes what was kept of sites that have refused and that nobody has asked since: no worker joins them to leave them again. */
export async function forgetSites(store: PacingStore, taskQueue: string): Promise<void> {
  const prefix = pacingIdOf(taskQueue, 'site/');
  for (const id of await store.ids()) {
    if (!id.startsWith(prefix)) continue;
    const found = await store.read(id);
    if (found !== undefined && isForgettable(found.state, Date.now())) await store.remove(id, found.version);
  }
}
