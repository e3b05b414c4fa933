import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 5;

/** Looks until something is so. @throws when that takes too long, with what it was */
export async function until(isSo: () => boolean, timeoutMs: number, what: string): Promise<void> {
  const lastMs = performance.now() + timeoutMs;
  while (!isSo()) {
    if (performance.now() > lastMs) throw new Error(`${what} did not come`);
    await delay(LOOK_EVERY_MS);
  }
}
