import { canonicalLanguage } from '../../../contract/text/language-tags.ts';
import { CAPTION_FORMATS } from '../captions/parse-captions.ts';

/** Requests captions but selects none, because yt-dlp warns about a missing token only if captions are requested. */
const NO_TRACK = ['--write-subs', '--sub-langs=-all'];

/**
 * Arguments with which the run that reads a page also fetches the track whose code is exactly the language, which most callers
 * get. yt-dlp selects tracks only by their codes, so a pattern drops this track when it would not be used: each request for
 * captions brings the platform nearer to refusing all.
 *
 * @param language a BCP 47 tag; undefined if no captions are wanted
 * @param maxBytes a larger file is not written
 */
export function firstTrackArguments(language: string | undefined, maxBytes: number): readonly string[] {
  const tag = language && canonicalLanguage(language);
  // Letters, digits and hyphens need no escape in a pattern.
  if (tag === undefined || !/^[a-z\d]+(?:-[a-z\d]+)*$/i.test(tag)) return NO_TRACK;
  return [
    // In brackets, because `all` is a language and also yt-dlp's word for all languages.
    ...['--write-subs', '--write-auto-subs', '--sub-langs', `(?:${tag})`],
    ...['--sub-format', CAPTION_FORMATS.join('/'), '--max-filesize', String(maxBytes)],
    ...['--parse-metadata', `video:%(live_status)s %(requested_subtitles)j %(subtitles)j:${unlessOfUse(tag)}`],
  ];
}

/**
 * The permitted fields of a track. By others, such as a protocol or headers, a page could control the download. YouTube's
 * extractor sets the last two. A URL with `tlang` is a machine translation.
 */
const FIELDS = [
  `"ext": "(?:${CAPTION_FORMATS.join('|')})"`,
  String.raw`"url": "https?://(?:(?![?&]tlang=)[^"\\])*"`,
  String.raw`"name": (?:null|"(?:[^"\\]|\\.)*")`,
  '"impersonate": (?:true|false|null)',
  String.raw`"__yt_dlp_client": "\w*"`,
].join('|');

/** @returns a Python pattern whose groups yt-dlp empties: the selected captions, unless they are one track that will be used */
function unlessOfUse(tag: string): string {
  const [primary = tag] = tag.split('-');
  const ended = String.raw`(?!is_)\w+`;
  const one = String.raw`\{"${tag}": \{(?:(?:${FIELDS})(?:, )?)+\}\}`;
  // It is the first manual track of the language, or there is none, because manual tracks have priority.
  const manual = String.raw`(?:(?!"${primary}(?:-[\w-]+)?": \[).)*(?:"${tag}": \[.*)?`;
  // Captions inherit the headers of the page's media, one of which makes yt-dlp bypass the proxy.
  return `(?i)^(?P<http_headers>)(?:(?!${ended} ${one} ${manual}$)(?P<requested_subtitles>))?`;
}
