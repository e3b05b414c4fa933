import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import type { CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { trackLanguage } from './caption-languages.ts';

/**
 * The captions that serve for a language, the best first. Manual ones always go before automatic ones: `en` takes a manual `en-GB` rather than an
 * automatic `en`, since people spell names right and machines guess. Among those of a kind, in this order:
 *
 * 1. the very tag (`pt-BR` for `pt-BR`);
 * 2. the same language, script and region, when what is left out is filled in as usual (`pt` for `pt-BR`, `zh-Hant` for
 *    `zh-TW`; for `en` the region `en-US`);
 * 3. the same language and script (`zh-Hant` for `zh-HK`; `pt` for `pt-PT`; `en-GB` for `en`);
 * 4. the language alone, where the script is not stated (`zh` for `zh-TW`), or any script for it (`zh-Hant` for `zh`).
 *
 * Equals are ordered by their tags in alphabetical order, then in the platform's. The request is never contradicted:
 * `pt-BR` does not take `pt-PT`, nor `zh-TW` `zh-Hans`. What is filled in comes from CLDR's likely subtags, which Intl knows.
 *
 * @param tracks codes that are no language tags are passed over
 * @param language a BCP 47 tag in any case
 * @returns none when there are none
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

/** By code unit: the order must not depend on the machine's locale. */
function compareTags(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** @returns the number in the list above; undefined when the offered captions are not what is wanted */
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

/** The script that a tag tells, be it by its region (`zh-TW` is Hant); undefined for a bare language. */
function scriptOf(locale: Intl.Locale): string | undefined {
  return locale.script ?? (locale.region === undefined ? undefined : locale.maximize().script);
}

function contradict(wanted: string | undefined, offered: string | undefined): boolean {
  return wanted !== undefined && offered !== undefined && wanted !== offered;
}
