/** How fast a transfer must be. A sender of a byte now and then is never silent, and would hold a job for hours. */
export interface LeastRate {
  /** Fewest bytes in any span of this length. */
  readonly bytes: number;
  readonly windowMs: number;
  /** Of the whole transfer. The first `afterMs` are free, and so is the time for which the media play, up to an hour. */
  readonly overall?: { readonly bytesPerSecond: number; readonly afterMs: number };
}

/**
 * Of media. Four downloads over a line of 1 Mbit/s are that fast, and nothing slower can be listened to. A transfer that lasts must be
 * faster: 1 GB may take 80 minutes.
 */
export const MEDIA_RATE: LeastRate = {
  bytes: 4 * 1024 ** 2,
  windowMs: 120_000,
  overall: { bytesPerSecond: 256 * 1024, afterMs: 15 * 60_000 },
};

/** `stalled`: next to nothing has come for a while. `slow`: the whole would take too long. */
export type TooSlow = 'stalled' | 'slow';

export interface Transfer {
  readonly rate: LeastRate;
  readonly bytes: () => number | Promise<number>;
  /** How long the media play, where that is known. */
  readonly seconds?: number | undefined;
}

const LOOKS_PER_WINDOW = 6;
const MAX_FREE_MS = 3_600_000;

/** @param onSlow may be called repeatedly @returns what ends the watching */
export function watchRate({ rate, bytes, seconds = 0 }: Transfer, onSlow: (how: TooSlow) => void): () => void {
  const { overall, windowMs } = rate;
  const startedMs = performance.now();
  const seen: number[] = [];
  let isOver = false;
  const isLate = (now: number): boolean => {
    if (overall === undefined) return false;
    const freeMs = Math.max(Math.min(seconds * 1000, MAX_FREE_MS), (now / overall.bytesPerSecond) * 1000);
    return performance.now() - startedMs > overall.afterMs + freeMs;
  };
  const look = async (): Promise<void> => {
    const now = await bytes();
    if (isOver) return;
    seen.push(now);
    const before = seen.length > LOOKS_PER_WINDOW ? seen.shift() : undefined;
    if (before !== undefined && now - before < rate.bytes) onSlow('stalled');
    else if (isLate(now)) onSlow('slow');
  };
  void look();
  const timer = setInterval(() => void look(), windowMs / LOOKS_PER_WINDOW);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
