import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again and again until there is something to return.
 *
 * @throws when nothing was there within the time
 */
export async function until<Value>(
  look: () => Promise<Value | undefined | false | null> | Value | undefined | false | null,
  options: { within?: number; what?: string } = {},
): Promise<Value> {
  const { within = 20_000, what = 'the expected state' } = options;
  const deadline = Date.now() + within;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false && seen !== null) return seen;
    if (Date.now() > deadline) throw new Error(`waited ${String(within)} ms for ${what}`);
    await delay(50);
  }
}
