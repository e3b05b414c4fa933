/** The longest time until the record shows the end of a job: a write may wait for 35 s, and the clocks of machines differ. */
export const LATE_MS = 60_000;
/** If more jobs end within that time, a position names only the newest. */
const NAMED_MAX = 100;
const TEXT = /^([0-9a-z]{1,9})((?:\.[0-7][0-9A-HJKMNP-TV-Z]{25}){0,100})$/;

/** The position of a reader of all downloads: it knows every end before a moment, and those of the named jobs after it. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly reported: readonly string[];
}

export function parsePosition(text: string | undefined): Position | undefined {
  const [, since, reported = ''] = TEXT.exec(text ?? '') ?? [];
  return since === undefined
    ? undefined
    : { sinceMs: Number.parseInt(since, 36), reported: reported.split('.').slice(1) };
}

/**
 * @returns the time up to which a reader knows every end. A time in the future is from before the system clock was set back; with
 *   it the reader would miss ends.
 */
export function sinceOf(last: Position | undefined, nowMs: number): number | undefined {
  return last && (last.sinceMs > nowMs + LATE_MS ? nowMs - LATE_MS : last.sinceMs);
}

/** Tracks the events that a reader receives, so that the ID of each event is a position at which any process can continue. */
export function createPositionTracker(last: Position | undefined, nowMs: number) {
  let sinceMs = sinceOf(last, nowMs) ?? nowMs - LATE_MS;
  const reported = new Map<string, number>((last?.reported ?? []).map((id) => [id, nowMs]));
  return {
    isReported: (id: string): boolean => reported.has(id),
    markReported: (id: string, endedMs: number): void => void reported.set(id, endedMs),
    /** @param completeMs every end before this moment has been reported */
    text(completeMs: number): string {
      sinceMs = Math.max(sinceMs, completeMs);
      const named = [...reported].sort(([, one], [, other]) => other - one);
      const [newestUnnamed] = named.slice(NAMED_MAX);
      if (newestUnnamed !== undefined) sinceMs = Math.max(sinceMs, newestUnnamed[1] + 1);
      for (const [id, endedMs] of named) if (endedMs < sinceMs) reported.delete(id);
      return [Math.floor(sinceMs).toString(36), ...reported.keys()].join('.');
    },
  };
}
