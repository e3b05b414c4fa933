/** How fast a transfer must be. Without it, a sender of single bytes would hold a job for hours. */
export interface MinimumRate {
  /** Minimum bytes in any period of `windowMs`. */
  readonly bytes: number;
  readonly windowMs: number;
  /** Minimum rate of the whole transfer, checked after `afterMs` and the playing time of the media (up to an hour). */
  readonly overall?: { readonly bytesPerSecond: number; readonly afterMs: number };
}

/** The rate for media: four downloads over 1 Mbit/s reach it. The overall rate allows 80 minutes for 1 GB. */
export const MEDIA_MINIMUM_RATE: MinimumRate = {
  bytes: 4 * 1024 ** 2,
  windowMs: 120_000,
  overall: { bytesPerSecond: 256 * 1024, afterMs: 15 * 60_000 },
};

/** `stalled`: almost no bytes arrived in the last window. `slow`: the whole transfer would take too long. */
export type TooSlow = 'stalled' | 'slow';

export interface Transfer {
  readonly rate: MinimumRate;
  readonly bytes: () => number | Promise<number>;
  /** Playing time of the media, if it is known. */
  readonly seconds?: number | undefined;
}

const CHECKS_PER_WINDOW = 6;
const MAX_PLAYING_MS = 3_600_000;

/** @param onSlow may be called repeatedly @returns a function that ends the detection */
export function detectStalls({ rate, bytes, seconds = 0 }: Transfer, onSlow: (how: TooSlow) => void): () => void {
  const { overall, windowMs } = rate;
  const startedMs = performance.now();
  const seen = [0];
  let isEnded = false;
  const isLate = (now: number): boolean => {
    if (overall === undefined) return false;
    const allowedMs = Math.max(Math.min(seconds * 1000, MAX_PLAYING_MS), (now / overall.bytesPerSecond) * 1000);
    return performance.now() - startedMs > overall.afterMs + allowedMs;
  };
  const check = async (): Promise<void> => {
    const now = await bytes();
    if (isEnded) return;
    seen.push(now);
    const before = seen.length > CHECKS_PER_WINDOW ? seen.shift() : undefined;
    if (before !== undefined && now - before < rate.bytes) onSlow('stalled');
    else if (isLate(now)) onSlow('slow');
  };
  const timer = setInterval(() => void check(), windowMs / CHECKS_PER_WINDOW);
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
