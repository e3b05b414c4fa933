import { z } from 'zod';
import type { CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { spokenCodes, trackLanguage } from '../captions/caption-languages.ts';
import { CAPTION_FORMATS } from '../captions/parse-captions.ts';
import { lineSchema, entriesSchema } from '../fact-schemas.ts';
import { canonicalLanguage } from '../../../contract/text/language-tags.ts';

const URL_MAX_CHARS = 8_192;

/**
 * A file of captions, which is passed back to yt-dlp. It has no protocol, headers or fragments, by which a page could control the
 * download, and its URL is normalised, so that yt-dlp reads it as it was validated.
 */
const fileSchema = z.object({
  ext: z.string(),
  url: z.url({ protocol: /^https?$/, normalize: true }).max(URL_MAX_CHARS),
  name: lineSchema,
});
type CaptionFile = z.infer<typeof fileSchema>;

/** yt-dlp's `subtitles` or `automatic_captions`: files by language code. */
export const trackListSchema = z.record(z.string(), entriesSchema(fileSchema)).catch({});
type TrackList = z.infer<typeof trackListSchema>;

/** yt-dlp's `requested_subtitles`: the fetched files by language code. */
export const fetchedSchema = z.record(z.string(), fileSchema).catch({});

export interface YtdlpTrack extends CaptionTrack {
  readonly files: readonly CaptionFile[];
}

/** The tracks of a video, without the machine translations that the platform offers in every language. */
export function tracksOf(subtitles: TrackList, automatic: TrackList): readonly YtdlpTrack[] {
  const manualUrls = new Set(Object.values(subtitles).flatMap((files) => files.map(({ url }) => url)));
  // The URL of a translation names its language. A translation of manual captions into their own language has their URL.
  const isTranslated = (code: string): boolean =>
    (automatic[code] ?? []).some(({ url }) => manualUrls.has(url) || /[?&]tlang=/.test(url));
  const spoken = spokenCodes(Object.keys(automatic).filter((code) => !isTranslated(code)));
  // The code of a further track of a language, which has a name, is longer than that of the main one.
  const manual = Object.keys(subtitles).sort((a, b) => a.length - b.length);
  return [
    ...manual.flatMap((code) => toTrack(code, subtitles[code] ?? [], 'manual')),
    ...spoken.flatMap((code) => toTrack(code, automatic[code] ?? [], 'automatic')),
  ];
}

function toTrack(code: string, all: readonly CaptionFile[], kind: CaptionTrack['kind']): readonly YtdlpTrack[] {
  const language = trackLanguage(code);
  const files = all.filter(({ ext }) => CAPTION_FORMATS.some((format) => format === ext));
  if (language === undefined || files.length === 0) return [];
  return [{ language, kind, name: files[0]?.name, files }];
}

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
