import type { YtdlpSettings } from './yt-dlp-settings.ts';

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
export const METADATA_PREFIX = 'TAPEDECK-VIDEO ';
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
