import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import type { CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { trackLanguage } from './caption-languages.ts';

/**
 * Ranks the tracks that match a language (a BCP 47 tag), the best first. Manual tracks precede automatic ones, because people
 * spell names correctly: `en` prefers a manual `en-GB` to an automatic `en`. Among tracks of a kind, the order is:
 *
 * 1. the same tag;
 * 2. the same language, script and region after CLDR's likely subtags are added (`pt` for `pt-BR`, `zh-Hant` for `zh-TW`);
 * 3. the same language and script (`zh-Hant` for `zh-HK`; `pt` for `pt-PT`; `en-GB` for `en`);
 * 4. the same language, if one of the tags has no script (`zh` for `zh-TW`, `zh-Hant` for `zh`).
 *
 * A track never contradicts the request: `pt-BR` does not match `pt-PT`, nor `zh-TW` `zh-Hans`.
 */
export function rankTracks<Track extends CaptionTrack>(tracks: readonly Track[], language: string): readonly Track[] {
  const wanted = canonicalLanguage(language);
  if (wanted === undefined) return [];
  const candidates = tracks.flatMap((track) => {
    const offered = trackLanguage(track.language);
    const distance = offered === undefined ? undefined : distanceBetween(wanted, offered);
    return offered === undefined || distance === undefined ? [] : [{ track, offered, distance }];
  });
  return candidates
    .sort((a, b) => rankOf(a.track) - rankOf(b.track) || a.distance - b.distance || compareTags(a.offered, b.offered))
    .map(({ track }) => track);
}

function rankOf(track: CaptionTrack): number {
  return track.kind === 'manual' ? 0 : 1;
}

/** Compares code units, so that the order does not depend on the machine's locale. */
function compareTags(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** @returns the number in the list above; undefined when the tags do not match */
function distanceBetween(wantedTag: string, offeredTag: string): number | undefined {
  if (wantedTag === offeredTag) return 1;
  const wanted = new Intl.Locale(wantedTag);
  const offered = new Intl.Locale(offeredTag);
  if (wanted.language !== offered.language) return undefined;
  if (contradict(wanted.region, offered.region)) return undefined;
  if (contradict(scriptOf(wanted), scriptOf(offered))) return undefined;

  const wantedWhole = wanted.maximize();
  const offeredWhole = offered.maximize();
  if (wantedWhole.script !== offeredWhole.script) return 4;
  return wantedWhole.region === offeredWhole.region ? 2 : 3;
}

/** The script that a tag states or its region implies (`zh-TW`: Hant); undefined for a language alone. */
function scriptOf(locale: Intl.Locale): string | undefined {
  return locale.script ?? (locale.region === undefined ? undefined : locale.maximize().script);
}

function contradict(wanted: string | undefined, offered: string | undefined): boolean {
  return wanted !== undefined && offered !== undefined && wanted !== offered;
}
