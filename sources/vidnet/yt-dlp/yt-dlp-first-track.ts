import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import { CAPTION_FORMATS } from '../captions/parse-captions.ts';

/** Requests captions and selects none. yt-dlp warns about a missing token only if captions are requested. */
const NO_TRACK = ['--write-subs', '--sub-langs=-all'];

/**
 * Arguments by which a run that reads a page also fetches the track that most callers get: the one under the very code of the
 * language. yt-dlp takes tracks by their codes alone, so a pattern drops this track where it would not be used: each
 * request for captions brings the platform nearer to refusing all.
 *
 * @param language a BCP 47 tag
 * @param maxBytes of its file; a larger one is not written
 */
export function firstTrackArguments(language: string, maxBytes: number): readonly string[] {
  const tag = canonicalLanguage(language);
  // Letters, digits and hyphens are themselves in a pattern. What has anything else is no tag.
  if (tag === undefined || !/^[a-z\d]+(?:-[a-z\d]+)*$/i.test(tag)) return NO_TRACK;
  return [
    // In brackets, since `all` is a language and also yt-dlp's word for all of them.
    ...['--write-subs', '--write-auto-subs', '--sub-langs', `(?:${tag})`],
    ...['--sub-format', CAPTION_FORMATS.join('/'), '--max-filesize', String(maxBytes)],
    ...['--parse-metadata', `video:%(live_status)s %(requested_subtitles)j %(subtitles)j:${unlessOfUse(tag)}`],
  ];
}

/**
 * What yt-dlp would do with any other field comes from the page: no protocol, headers or parts. YouTube's extractor gives the
 * last two. An address with `tlang` is that of a machine translation.
 */
const FIELDS = [
  `"ext": "(?:${CAPTION_FORMATS.join('|')})"`,
  String.raw`"url": "https?://(?:(?![?&]tlang=)[^"\\])*"`,
  String.raw`"name": (?:null|"(?:[^"\\]|\\.)*")`,
  '"impersonate": (?:true|false|null)',
  String.raw`"__yt_dlp_client": "\w*"`,
].join('|');

/** @returns a pattern for Python, whose groups are emptied: of what is fetched the list, unless it is one track that will be read */
function unlessOfUse(tag: string): string {
  const [primary = tag] = tag.split('-');
  const ended = String.raw`(?!is_)\w+`;
  const one = String.raw`\{"${tag}": \{(?:(?:${FIELDS})(?:, )?)+\}\}`;
  // Of the manual ones of the language it is the first, or there is none: those go before automatic ones.
  const manual = String.raw`(?:(?!"${primary}(?:-[\w-]+)?": \[).)*(?:"${tag}": \[.*)?`;
  // Captions take over the headers of the page's media, by one of which yt-dlp goes past the proxy.
  return `(?i)^(?P<http_headers>)(?:(?!${ended} ${one} ${manual}$)(?P<requested_subtitles>))?`;
}
