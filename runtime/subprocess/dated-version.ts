const DAY_MS = 86_400_000;

/** A version that is a release date, such as `2026.10.26` of yt-dlp. */
export interface DatedVersion {
  readonly version: string;
  /** The date as `YYYY-MM-DD`; absent if the version is not a date. */
  readonly releasedOn?: string;
  readonly ageDays?: number;
}

export function datedVersion(version: string, nowMs: number): DatedVersion {
  const [, year = '', month = '', day = ''] = /^(\d{4})\.(\d{1,2})\.(\d{1,2})(?!\d)/.exec(version) ?? [];
  const releasedOn = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  const releasedMs = Date.parse(releasedOn);
  // Date.parse accepts February 30 as a day in March.
  if (Number.isNaN(releasedMs) || !new Date(releasedMs).toISOString().startsWith(releasedOn)) return { version };
  return { version, releasedOn, ageDays: Math.max(0, Math.floor((nowMs - releasedMs) / DAY_MS)) };
}

/** Platforms change within weeks, so failures of an older yt-dlp are probably due to its age. */
export const YTDLP_OLD_AFTER_DAYS = 60;
