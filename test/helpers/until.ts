import { setTimeout as delay } from 'node:timers/promises';

const FIRST_WAIT_MS = 20;
/** A look is a request to the service often: twenty of them in a second took half of a core from what they waited for. */
const LONGEST_WAIT_MS = 400;

/**
 * Looks again and again until there is something to return, ever more rarely.
 *
 * @throws when nothing was there within the time
 */
export async function until<Value>(
  look: () => Promise<Value | undefined | false | null> | Value | undefined | false | null,
  options: { within?: number; what?: string } = {},
): Promise<Value> {
  const { within = 60_000, what = 'the expected state' } = options;
  const deadline = Date.now() + within;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(1.4 * waitMs, LONGEST_WAIT_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== false && seen !== null) return seen;
    if (Date.now() > deadline) throw new Error(`waited ${String(within)} ms for ${what}`);
    await delay(waitMs);
  }
}
