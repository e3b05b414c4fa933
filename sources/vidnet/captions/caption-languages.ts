import { failureFor, type Failure } from '../../../contract/failures.ts';
import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import type { CaptionTrack } from '../../../contract/kinds/transcript.ts';

/** Enough to choose from, few enough for a message: the platform translates captions into more than 150 languages. */
const MAX_LANGUAGES_NAMED = 30;

/**
 * The language of a track, from the code under which yt-dlp lists it.
 *
 * @returns a canonical tag; undefined for what is no language, such as `live_chat`, `a.en` or `danmaku`
 */
export function trackLanguage(code: string): string | undefined {
  // `en-orig` is what the recogniser wrote, next to its copies in other languages.
  const plain = code.replace(/-orig$/, '');
  // A track that its author gave a name is listed as `en-` and an id of 11 characters.
  const language = canonicalLanguage(plain) ?? canonicalLanguage(plain.replace(/-[\w-]{11}$/, ''));
  if (language === undefined) return undefined;
  // Primary tags of 5 to 8 letters are well-formed and none is registered (RFC 5646, section 2.2.1): `rechat` is no language.
  return new Intl.Locale(language).language.length > 3 ? undefined : language;
}

/**
 * Leaves the machine's translations out of the automatic captions. yt-dlp lists them beside what was spoken, and
 * marks only the latter, by an entry `xx-orig` next to `xx`.
 *
 * @param codes the codes under which automatic captions are listed
 * @returns the codes without `-orig` that were spoken; all of them when none is marked
 */
export function spokenCodes(codes: readonly string[]): string[] {
  const marked = codes.filter((code) => code.endsWith('-orig')).map((code) => code.slice(0, -'-orig'.length));
  return marked.length === 0 ? [...codes] : marked.map((code) => (codes.includes(code) ? code : `${code}-orig`));
}

/** @returns each language once, in canonical spelling: sorted, those with manual captions first */
export function languagesOf(tracks: readonly CaptionTrack[]): string[] {
  const manual = languagesOfKind(tracks, 'manual');
  return [...manual, ...languagesOfKind(tracks, 'automatic').filter((language) => !manual.includes(language))];
}

/** The failure of a request for captions that do not exist. */
export function noCaptions(tracks: readonly CaptionTrack[], language: string): Failure {
  const languages = languagesOf(tracks);
  if (languages.length === 0) return failureFor('noCaptions');
  const manual = languagesOfKind(tracks, 'manual');
  const named = languages
    .slice(0, MAX_LANGUAGES_NAMED)
    .map((each) => (manual.includes(each) ? each : `${each} (automatic)`));
  const more = languages.length - named.length;
  const all = `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  return failureFor('noCaptionsInLanguage', { language, languages: all });
}

/** The failure of a request for captions that exist and are empty. */
export function emptyCaptions(tracksRead: number, language: string): Failure {
  return tracksRead === 1
    ? failureFor('captionsEmpty', { language })
    : failureFor('captionTracksEmpty', { language, tracks: tracksRead });
}

function languagesOfKind(tracks: readonly CaptionTrack[], kind: CaptionTrack['kind']): string[] {
  const languages = tracks
    .filter((track) => track.kind === kind)
    .map((track) => trackLanguage(track.language))
    .filter((language) => language !== undefined);
  return [...new Set(languages)].sort();
}
