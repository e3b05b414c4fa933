import { isFree } from './ports.ts';

/**
 * Ports that no browser connects to, whatever a page asks of it: all are "bad ports" of the Fetch standard. Left out are those
 * below 1024, those that some browser's settings can allow, those of X11 and NFS, which may be needed, and those that joined
 * the standard late: Chromium 156 connects to 4190 and 6679.
 */
export const REFUSED_BY_BROWSERS = [1719, 1720, 1723, 3659, 4045, 5060, 5061, 6665, 6666, 6667, 6668, 6669, 6697];

/**
 * Free ports of 127.0.0.1 that pages cannot reach. Another process may take one before it is used.
 *
 * @throws when fewer than `count` are free
 */
export async function portsWithoutPages(count: number): Promise<readonly number[]> {
  const chosen: number[] = [];
  // In another order each time, so that two that start together seldom want the same.
  for (const port of REFUSED_BY_BROWSERS.toSorted(() => Math.random() - 0.5)) {
    if (chosen.length === count) break;
    if (await isFree(port)) chosen.push(port);
  }
  if (chosen.length < count) {
    throw new Error(
      `Temporal needs ${String(count)} of the ports that browsers refuse (${REFUSED_BY_BROWSERS.join(', ')}), and all are in use; stop another one, or set TEMPORAL_ADDRESS`,
    );
  }
  return chosen;
}
