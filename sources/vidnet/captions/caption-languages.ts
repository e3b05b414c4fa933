import { failureFor, type Failure } from '../../../contract/failures.ts';
import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import type { CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';

/** A video may have captions in more than 150 languages. */
const MAX_LANGUAGES_NAMED = 30;

/** @returns the canonical tag of yt-dlp's code of a track; undefined for codes such as `live_chat`, `a.en` or `danmaku` */
export function trackLanguage(code: string): string | undefined {
  // Some sites write `en_US`. `en-orig` is the recogniser's track, beside its translations.
  const plain = code.replace(/-orig$/, '').replaceAll('_', '-');
  // The code of a track with a name is `en-` and an ID of 11 characters.
  const language = canonicalLanguage(plain) ?? canonicalLanguage(plain.replace(/-[\w-]{11}$/, ''));
  if (language === undefined) return undefined;
  // No primary tag of 5 to 8 letters is registered (RFC 5646, section 2.2.1): `rechat` is not a language.
  return /^[a-z]{2,3}(?:-|$)/.test(language) ? language : undefined;
}

/** yt-dlp marks spoken languages by an entry `xx-orig` beside `xx`. If none is marked, all are returned. */
export function spokenCodes(codes: readonly string[]): string[] {
  const marked = codes.filter((code) => code.endsWith('-orig')).map((code) => code.slice(0, -'-orig'.length));
  return marked.length === 0 ? [...codes] : marked.map((code) => (codes.includes(code) ? code : `${code}-orig`));
}

/** @returns the canonical languages, sorted, those with manual captions first */
export function languagesOf(tracks: readonly CaptionTrack[]): string[] {
  const manual = languagesOfKind(tracks, 'manual');
  return [...manual, ...languagesOfKind(tracks, 'automatic').filter((language) => !manual.includes(language))];
}

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
