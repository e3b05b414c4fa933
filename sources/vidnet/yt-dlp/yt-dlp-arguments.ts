import type { YtdlpSettings } from './yt-dlp-settings.ts';
import { z } from 'zod';
import type { ActivityProgress } from '../../../contract/job-input.ts';
import { optional } from '../../../runtime/optional.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { percentOf } from '../../../runtime/percent.ts';
import { textSchema } from '../fact-schemas.ts';

const METADATA_KEYS = 'title,duration,live_status,release_timestamp,n_entries';

/** For other protocols, such as RTMP, yt-dlp starts other programs. The URL and the protocol may differ. */
export const PROTOCOLS =
  '[protocol~="^(https?|m3u8|m3u8_native|http_dash_segments|http_dash_segments_generator)$"][url~="^https?://"]';

/**
 * The main language first, as the extractor ranks them, and no other version of a track, such as an audio description. Then
 * sound without pictures, and the native M4A. ffmpeg converts anything else.
 */
export const SOUND_ORDER = ['--format-sort-force', '--format-sort', 'lang,source,+hasvid,aext:m4a'];

export const AUDIO_FORMATS = `ba*${PROTOCOLS}`;

/** Best H.264 and AAC first; otherwise any format, which ffmpeg converts. A silent video is a video. */
export function videoFormats(maxHeight: number): string {
  const height = `[height<=?${String(maxHeight)}]${PROTOCOLS}`;
  const ba = `ba${PROTOCOLS}`;
  const native = `bv[vcodec^=avc1]${height}+${ba}/b[vcodec^=avc1][acodec^=mp4a][language_preference>=?0]${height}`;
  return `${native}/bv${height}+${ba}/b${height}/bv${height}`;
}

const CHOSEN_FORMATS =
  '{"size":%(filesize|null)s,"parts":%(requested_formats.:.format_id)j,"sizes":%(requested_formats.:.filesize)j,' +
  '"ext":%(stated_ext)j,"protocol":%(protocol)j,"url":%(requested_formats.0.url,url)j}';

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

/** Arguments of a run that only inspects an HLS playlist. */
export const INSPECT_ARGUMENTS = [
  '--simulate',
  '--print',
  `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`,
] as const;

/** How the media of a page are chosen and fetched. */
export interface YtdlpSelection {
  readonly formats: string;
  readonly soundOrder?: readonly string[];
  readonly more?: readonly string[];
}

/** Arguments that download one video into the working directory, as `media.*`: two files when pictures and sound are separate. */
export function downloadArguments(
  settings: YtdlpSettings,
  { formats, soundOrder = SOUND_ORDER, more = [] }: YtdlpSelection,
): readonly string[] {
  return [
    // Two entries are enough to recognise a list, which is refused.
    ...['--no-playlist', '--playlist-items', '1:2', '--no-mtime', '--no-overwrites', '--restrict-filenames'],
    ...['--max-filesize', String(settings.maxFileBytes)],
    ...[...soundOrder, ...EXTENSIONS_APART, '--format', formats, '--output', 'media.%(ext)s'],
    ...['--progress', '--newline', '--progress-delta', '0.5'],
    ...['--progress-template', `download:${PROGRESS_PREFIX}%(progress)j`],
    ...['--no-simulate', '--print', `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`],
    ...['--print', `before_dl:${FORMATS_PREFIX}${CHOSEN_FORMATS}`],
    ...['--match-filters', '!is_live & live_status!=?is_upcoming', ...more],
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
    ext: z
      .string()
      .regex(/^[\w-]{1,16}$/)
      .catch(NEUTRAL_EXTENSION),
    protocol: z.string().catch(''),
    url: z.string().optional().catch(undefined),
  })
  .transform(({ size, parts, sizes, ext, protocol, url }) => ({
    ext: ext.toLowerCase().replace(/^x-/, ''),
    files: Math.max(1, parts.length),
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
