import { z } from 'zod';
import type { CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { spokenCodes, trackLanguage } from '../captions/caption-languages.ts';
import { CAPTION_FORMATS } from '../captions/parse-captions.ts';
import { lineSchema, entriesSchema } from '../fact-schemas.ts';

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
