/** Which releases of yt-dlp are fetched: none, those for everybody, or also those of each night. */
export const YTDLP_CHANNELS = ['pinned', 'stable', 'nightly'] as const;
export type YtdlpChannel = (typeof YTDLP_CHANNELS)[number];

/** As the index of packages names them: `2026.10.26`, and `2026.10.26.232945.dev0` of a night. */
const RELEASE = /^20\d\d(?:\.\d{1,2}){2}(?:\.\d{1,6}(?:\.dev0)?)?$/;

/** Whether a text names a release; it then is a name of a folder too. */
export function isRelease(version: string): boolean {
  return RELEASE.test(version);
}

export function isOfChannel(version: string, channel: YtdlpChannel): boolean {
  return isRelease(version) && (channel === 'nightly' || (channel === 'stable' && !version.endsWith('.dev0')));
}

/** @param version also as the program tells it: `2026.08.19` is `2026.8.19`. One that begins with no number is older than all */
export function compareVersions(version: string, other: string): number {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  for (let index = 0; index < Math.max(one.length, two.length); index += 1) {
    const difference = (one[index] ?? -1) - (two[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): readonly number[] {
  const [, dotted = ''] = /^(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return dotted === '' ? [] : dotted.split('.').map(Number);
}
