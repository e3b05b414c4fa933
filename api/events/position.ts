/**
 * How long after a job's end its record may first tell of it: a write that waits for the database takes up to 35 s, and the
 * clocks of two machines may differ.
 */
export const LATE_MS = 60_000;
/** Of more ends within that time only the newest are named. */
const NAMED_MAX = 100;
const TEXT = /^([0-9a-z]{1,9})((?:\.[0-7][0-9A-HJKMNP-TV-Z]{25}){0,100})$/;

/** How far a reader of all downloads was told: of each that ended before a moment, and of these that ended later. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  readonly told: readonly string[];
}

/** @returns undefined for what is none, such as nothing */
export function parsePosition(text: string | undefined): Position | undefined {
  const [, since, told = ''] = TEXT.exec(text ?? '') ?? [];
  return since === undefined ? undefined : { sinceMs: Number.parseInt(since, 36), told: told.split('.').slice(1) };
}

/**
 * @returns up to when a reader was told of every end. A time that lies ahead is from before the system clock was set back: what
 *   ends until then would be lost.
 */
export function sinceOf(last: Position | undefined, nowMs: number): number | undefined {
  return last && (last.sinceMs > nowMs + LATE_MS ? nowMs - LATE_MS : last.sinceMs);
}

/** Follows what a reader is told, so that the id of each event says where another stream goes on, in any process. */
export function createPositionTracker(last: Position | undefined, nowMs: number) {
  let sinceMs = sinceOf(last, nowMs) ?? nowMs - LATE_MS;
  /** Ids of downloads, with when they ended: of those that were told before, some time later. */
  const told = new Map<string, number>((last?.told ?? []).map((id) => [id, nowMs]));
  return {
    hasTold: (id: string): boolean => told.has(id),
    noteTold(id: string, endedMs: number): void {
      told.set(id, endedMs);
    },
    /** @param completeMs every end before this moment was told */
    text(completeMs: number): string {
      sinceMs = Math.max(sinceMs, completeMs);
      const named = [...told].sort(([, one], [, other]) => other - one);
      const [newestUnnamed] = named.slice(NAMED_MAX);
      if (newestUnnamed !== undefined) sinceMs = Math.max(sinceMs, newestUnnamed[1] + 1);
      for (const [id, endedMs] of named) if (endedMs < sinceMs) told.delete(id);
      return [Math.floor(sinceMs).toString(36), ...told.keys()].join('.');
    },
  };
}
