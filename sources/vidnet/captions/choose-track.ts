import { match } from '@formatjs/intl-localematcher';
import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import type { CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { trackLanguage } from './caption-languages.ts';

/** A tag that the matcher returns if no other one matches. */
const NONE = 'zxx';
/** More than are read. For hundreds of tags of one language, the matcher would block the event loop. */
const MAX_RANKED = 10;

/**
 * Ranks the tracks that match a language (a BCP 47 tag), the best first. Manual tracks precede automatic ones, because people
 * spell names correctly: `en` prefers a manual `en-GB` to an automatic `en`. Among tracks of a kind, the order is:
 *
 * 1. the same tag;
 * 2. tags of the same language and script, by the distances of CLDR (`es-419` before `es-ES` for `es-MX`; `nb` before `nn` for `no`);
 * 3. the same language, if one of the tags has no script (`zh` for `zh-TW`, `zh-Hant` for `zh`).
 *
 * A track never has another language or script: `da` does not match `no`, nor `zh-TW` `zh-Hans`.
 */
export function rankTracks<Track extends CaptionTrack>(tracks: readonly Track[], language: string): readonly Track[] {
  const wanted = canonicalLanguage(language);
  if (wanted === undefined) return [];
  const candidates = tracks.flatMap((track) => {
    const offered = trackLanguage(track.language);
    return offered !== undefined && isSame(wanted, offered) ? [{ track, offered }] : [];
  });
  const ranked = rankedTags(wanted, new Set(candidates.map(({ offered }) => offered)));
  return candidates
    .sort((a, b) => ranked.indexOf(a.offered) - ranked.indexOf(b.offered))
    .map(({ track }) => track)
    .sort((a, b) => Number(a.kind !== 'manual') - Number(b.kind !== 'manual'));
}

/** The tags are sorted, because the matcher returns the first of equally near ones, and the order of the platform must not matter. */
function rankedTags(wanted: string, offered: ReadonlySet<string>): readonly string[] {
  const left = new Set([...offered].sort());
  const ranked = left.delete(wanted) ? [wanted] : [];
  while (ranked.length < MAX_RANKED) {
    const best = match([wanted], [...left], NONE);
    if (!left.delete(best)) break;
    ranked.push(best);
  }
  return [...ranked, ...left];
}

function isSame(wantedTag: string, offeredTag: string): boolean {
  const wanted = new Intl.Locale(wantedTag);
  const offered = new Intl.Locale(offeredTag);
  const scripts = [scriptOf(wanted), scriptOf(offered)];
  if (!scripts.includes(undefined) && scripts[0] !== scripts[1]) return false;
  if (wanted.language === offered.language) return true;
  // For `und`, which sites write if the language is unknown, `Intl.Locale` has no language.
  if ([wantedTag, offeredTag].some((tag) => /^und\b/.test(tag))) return false;
  // CLDR lists two codes of one language (`no`, `nb`) as substitutes for each other, with the same script and region.
  const [one, other] = [wanted, offered].map(({ language }) => new Intl.Locale(language).maximize());
  if (one?.script !== other?.script || one?.region !== other?.region) return false;
  return stands(offered.language, wanted.language) && stands(wanted.language, offered.language);
}

function stands(offered: string, wanted: string): boolean {
  return match([wanted], [offered], NONE) === offered;
}

/** The script that a tag states or its region implies (`zh-TW`: Hant); undefined for a language alone. */
function scriptOf(locale: Intl.Locale): string | undefined {
  return locale.script ?? (locale.region === undefined ? undefined : locale.maximize().script);
}
