import { datedVersion } from '../../../runtime/subprocess/dated-version.ts';

/** The releases of yt-dlp that workers install: none, stable ones, or nightly ones too. */
export const YTDLP_CHANNELS = ['pinned', 'stable', 'nightly'] as const;
export type YtdlpChannel = (typeof YTDLP_CHANNELS)[number];

/** The form on PyPI: `2026.10.26`, or `2026.10.26.232945.dev0` for a nightly release. */
const RELEASE = /^20\d\d\.[1-9]\d?\.[1-9]\d?(?:\.(?:0|[1-9]\d{0,5})(?:\.dev0)?)?$/;

/** Whether a text names a release. Only such a text may become the name of a folder. */
export function isRelease(version: string): boolean {
  return RELEASE.test(version) && datedVersion(version, Date.now()).releasedOn !== undefined;
}

export function isOfChannel(version: string, channel: YtdlpChannel): boolean {
  return isRelease(version) && (channel === 'nightly' || (channel === 'stable' && !version.endsWith('.dev0')));
}

/** Compares versions by their numbers: `2026.08.19` equals `2026.8.19`. */
export const { compare: compareVersions } = new Intl.Collator('en', { numeric: true });
