const DAY_MS = 86_400_000;

/** A program whose version is the day of its release, such as yt-dlp's `2026.10.26`. */
export interface DatedVersion {
  readonly version: string;
  /** `YYYY-MM-DD`; absent when the version is no day. */
  readonly releasedOn?: string;
  readonly ageDays?: number;
}

/** @param nowMs milliseconds since 1970 */
export function datedVersion(version: string, nowMs: number): DatedVersion {
  const [, year = '', month = '', day = ''] = /^(\d{4})\.(\d{1,2})\.(\d{1,2})(?!\d)/.exec(version) ?? [];
  const releasedOn = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  const releasedMs = Date.parse(releasedOn);
  // Date.parse takes February 30th for a day in March.
  if (Number.isNaN(releasedMs) || !new Date(releasedMs).toISOString().startsWith(releasedOn)) return { version };
  return { version, releasedOn, ageDays: Math.max(0, Math.floor((nowMs - releasedMs) / DAY_MS)) };
}

/** yt-dlp keeps up with platforms that change within weeks; after so long, failures are likely its age. */
export const YTDLP_OLD_AFTER_DAYS = 60;
