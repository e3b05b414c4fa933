import { z } from 'zod';
import { DEFAULT_CONTAINERS } from '../../../contract/media-option-values.ts';
import type { ActivityProgress } from '../../../contract/job-input.ts';
import type { MediaOptions } from '../../../contract/kinds/media-options.ts';
import type { MediaPage } from '../../../contract/kinds/media.ts';
import { codesOf } from '../../../contract/text/language-tags.ts';
import { optional } from '../../../runtime/optional.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { percentOf } from '../../../runtime/percent.ts';
import { amountSchema, chaptersSchema, lineSchema, oneLine, textSchema } from '../fact-schemas.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** For other protocols, such as RTMP, yt-dlp starts other programs. The URL and the protocol may differ. */
const PROTOCOLS =
  '[protocol~="^(https?|m3u8|m3u8_native|http_dash_segments|http_dash_segments_generator)$"][url~="^https?://"]';

/**
 * The main language first, as the extractor ranks them, and no other version of a track, such as an audio description. Then
 * sound without pictures, and the native M4A. ffmpeg converts anything else.
 */
const SOUND_ORDER = 'lang,source,+hasvid,aext:m4a';

const CHOSEN_FORMATS =
  '{"size":%(filesize|null)s,"parts":%(requested_formats.:.format_id)j,"sizes":%(requested_formats.:.filesize)j,' +
  '"ext":%(stated_ext)j,"width":%(width|0)s,"height":%(height|0)s,"protocol":%(protocol)j,"url":%(requested_formats.0.url,url)j}';

/** yt-dlp refuses to write unusual extensions, such as `amr`. Those of raw sound are the only sign of its format. */
export const NEUTRAL_EXTENSION = 'unknown_video';
const EXTENSIONS_APART = [
  ...['--parse-metadata', 'video:%(ext)s:%(stated_ext)s'],
  ...['--replace-in-metadata', 'video:ext', '(?s)^.*$', NEUTRAL_EXTENSION],
];

/** Lines on stdout begin with one of these words. */
const METADATA_PREFIX = 'TAPEDECK-VIDEO ';
export const PROGRESS_PREFIX = 'TAPEDECK-PROGRESS ';
export const FORMATS_PREFIX = 'TAPEDECK-FORMATS ';
const METADATA_KEYS = 'title,duration,live_status,release_timestamp,n_entries';
const PRINT_METADATA = ['--print', `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`] as const;

/** Arguments of a run that only inspects an HLS playlist. */
export const INSPECT_ARGUMENTS = ['--simulate', ...PRINT_METADATA] as const;

/** Expressions for yt-dlp's names of codecs. */
const CODECS = { h264: '^(avc|h264)', hevc: '^(hev|hvc|h265|hevc)', vp9: '^vp0?9', av1: '^av0?1' } as const;
const SOUND_CODECS: Readonly<Record<string, string>> = { opus: 'acodec:opus', mp3: 'acodec:mp3', flac: 'acodec:flac' };
/** Filters of the formats that ffmpeg can record from the start of a broadcast, or from now on. */
const LIVE_PROTOCOLS = {
  start: '[protocol^=m3u8][url~="^https?://"]',
  now: '[protocol~="^(https?|m3u8|m3u8_native|http_dash_segments)$"][url~="^https?://"]',
} as const;

/** Arguments that download one video into the working directory, as `media.*`: two files when pictures and sound are separate. */
export function downloadArguments(
  settings: Pick<YtdlpSettings, 'maxFileBytes' | 'maxVideoHeight'>,
  { format, options }: Pick<MediaPage, 'format' | 'options'>,
): readonly string[] {
  const { container = DEFAULT_CONTAINERS[format], sound_language: language, section, live } = options ?? {};
  const sound = language === undefined ? '' : `[language~='${spokenIn(language)}']`;
  const all =
    format === 'audio' ? `ba*${PROTOCOLS}${sound}` : videoFormats(settings.maxVideoHeight, sound, options ?? {});
  const formats = live === undefined ? all : all.replaceAll(PROTOCOLS, LIVE_PROTOCOLS[live.from]);
  return [
    // Two entries are enough to recognise a list, which is refused.
    ...['--no-playlist', '--playlist-items', '1:2', '--no-mtime', '--no-overwrites', '--restrict-filenames'],
    ...['--max-filesize', String(settings.maxFileBytes)],
    ...['--format-sort-force', '--format-sort', SOUND_ORDER.replace('aext:m4a', SOUND_CODECS[container] ?? 'aext:m4a')],
    ...[...EXTENSIONS_APART, '--format', formats, '--output', 'media.%(ext)s'],
    ...['--progress', '--newline', '--progress-delta', '0.5'],
    ...['--progress-template', `download:${PROGRESS_PREFIX}%(progress)j`],
    ...['--no-simulate', ...PRINT_METADATA],
    ...['--print', `before_dl:${FORMATS_PREFIX}${CHOSEN_FORMATS}`],
    ...['--match-filters', live === undefined ? '!is_live & live_status!=?is_upcoming' : 'is_live'],
    ...(live?.from === 'start' ? ['--live-from-start'] : []),
    ...(section === undefined ? [] : ['--download-sections', rangeOf(section)]),
    ...(options?.wait_for_start === true ? ['--ignore-no-formats-error'] : []),
    ...(options === undefined ? [] : embeddedArguments(options)),
  ];
}

/** @returns an expression for the ways in which sites write a language, but not an audio description in it */
function spokenIn(tag: string): string {
  const [language = '', ...parts] = tag.split('-');
  return `(?i)^${[`(${codesOf(language).join('|')})`, ...parts].join('[-_]')}([-_](?!desc)|$)`;
}

/**
 * For MP4, H.264 and AAC first; otherwise any format, of which ffmpeg converts the pictures for MP4, and the sound. A silent
 * video is a video. Of a page on which all pictures are taller, the lowest are taken.
 */
function videoFormats(maxHeight: number, sound: string, options: MediaOptions): string {
  const { container = 'mp4', codec, max_height = 8_640 } = options;
  const limits = [
    // The limit of the operator is about the shorter side.
    `[aspect_ratio<1][width<=${String(maxHeight)}][height<=${String(max_height)}]${PROTOCOLS}`,
    `[height<=?${String(Math.min(max_height, maxHeight))}]${PROTOCOLS}`,
  ];
  const kind = container === 'webm' ? '[ext=webm]' : '';
  const ba = `ba${kind}${sound}${PROTOCOLS}`;
  const pairs = (pictures: string, whole = pictures): readonly string[] =>
    limits.flatMap((limit) => [`bv${pictures}${kind}${limit}+${ba}`, `b${whole}${kind}${sound}${limit}`]);
  return [
    ...(codec === undefined ? [] : pairs(`[vcodec~='${CODECS[codec]}']`)),
    ...(container === 'mp4' ? pairs('[vcodec^=avc1]', '[vcodec^=avc1][acodec^=mp4a][language_preference>=?0]') : []),
    ...pairs(''),
    ...(sound === '' && container !== 'webm' ? limits.map((limit) => `bv${limit}`) : []),
    ...[`wv${kind}${PROTOCOLS}+${ba}`, `w${kind}${sound}${PROTOCOLS}`],
  ].join('/');
}

function rangeOf({ from = 0, to, chapter }: NonNullable<MediaOptions['section']>): string {
  if (chapter === undefined) return `*${from}-${to ?? 'inf'}`;
  // Titles are shown with single spaces.
  const escaped = oneLine(chapter).replaceAll(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);
  return `^\\s*${escaped.replaceAll(' ', String.raw`\s+`)}\\s*$`;
}

export const COVER_NAME = 'cover.';
export const CAPTIONS_NAME = 'captions.';
export const DETAILS_PREFIX = 'TAPEDECK-DETAILS ';

const LINES = [
  ...(['title', 'track', 'artist', 'album', 'creator', 'uploader', 'channel', 'webpage_url'] as const),
  ...(['language', 'release_date', 'upload_date'] as const),
];

/** The details of a page that become the tags, the chapters and the name of a file. */
export const detailsSchema = z.object({
  ...(Object.fromEntries(LINES.map((name) => [name, lineSchema])) as Record<(typeof LINES)[number], typeof lineSchema>),
  height: amountSchema,
  section_start: amountSchema,
  section_end: amountSchema,
  chapters: chaptersSchema,
});
export type MediaDetails = z.infer<typeof detailsSchema>;
const DETAILS = `before_dl:${DETAILS_PREFIX}%(.{${Object.keys(detailsSchema.shape).join(',')}})j`;

function embeddedArguments({ embed = [] }: MediaOptions): readonly string[] {
  const cover = ['--write-thumbnail', '--output', `thumbnail:${COVER_NAME}%(ext)s`];
  const captions = '--write-subs --sub-langs all,-live_chat --sub-format vtt/srt --output'.split(' ');
  return [
    ...['--print', DETAILS],
    ...(embed.includes('cover') ? cover : []),
    ...(embed.includes('captions') ? [...captions, `subtitle:${CAPTIONS_NAME}%(ext)s`] : []),
  ];
}

const metadataSchema = z.object({
  title: textSchema,
  duration: z.number().positive().nullish(),
  live_status: z.string().nullish(),
  release_timestamp: z.number().nullish().catch(undefined),
  n_entries: z.number().nullish(),
});
export type Metadata = z.infer<typeof metadataSchema>;

export const formatsSchema = z
  .object({
    size: z.number().nullable().catch(null),
    parts: z.array(z.string()).catch([]),
    sizes: z.array(z.number()).catch([]),
    ext: z.stringFormat('extension', /^[\w-]{1,16}$/).catch(NEUTRAL_EXTENSION),
    width: z.number().catch(0),
    height: z.number().catch(0),
    protocol: z.string().catch(''),
    url: z.string().optional().catch(undefined),
  })
  .transform(({ size, parts, sizes, ext, width, height, protocol, url }) => ({
    ext: ext.toLowerCase().replace(/^x-/, ''),
    files: Math.max(1, parts.length),
    shorterSide: Math.min(width, height),
    /** The sum of the sizes that the platform states. */
    sizeBytes: size ?? sizes.reduce((sum, part) => sum + part, 0),
    isSizeOfAll: size !== null || (parts.length > 0 && sizes.length === parts.length),
    hlsUrl: protocol.startsWith('m3u8') ? url : undefined,
    // yt-dlp ends with an error when a fragment is missing.
    isFragmented: protocol.split('+').every((part) => /^m3u8|^http_dash/.test(part)),
  }));
export type Stated = z.infer<typeof formatsSchema>;
export const NOTHING_STATED = formatsSchema.parse({});

export const progressLineSchema = z.object({
  status: z.string().nullish(),
  filename: z.string().nullish(),
  downloaded_bytes: z.number().nullish(),
  total_bytes: z.number().nullish(),
  total_bytes_estimate: z.number().nullish(),
});

export function metadataOf(line: string): Metadata | undefined {
  if (!line.startsWith(METADATA_PREFIX)) return undefined;
  return metadataSchema.catch({}).parse(parseJson(line.slice(METADATA_PREFIX.length)));
}

export function progressOf(line: z.infer<typeof progressLineSchema>): ActivityProgress {
  const bytes = line.downloaded_bytes ?? undefined;
  const totalBytes = line.total_bytes ?? line.total_bytes_estimate ?? undefined;
  const isShareKnown = bytes !== undefined && totalBytes !== undefined && totalBytes > 0;
  return {
    stage: 'fetching',
    ...optional('bytes', bytes && Math.round(bytes)),
    ...optional('totalBytes', totalBytes && Math.round(totalBytes)),
    ...(isShareKnown && { percent: percentOf(bytes / totalBytes) }),
  };
}
