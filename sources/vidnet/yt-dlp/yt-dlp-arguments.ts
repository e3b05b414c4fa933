import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** Keys of the metadata that the driver reads. */
const METADATA_KEYS = 'title,duration,live_status,n_entries';

/** For RTMP and the like yt-dlp starts other programs, and FTP is not supported. The URL may say otherwise than the protocol. */
const PROTOCOLS =
  '[protocol~="^(https?|m3u8|m3u8_native|http_dash_segments|http_dash_segments_generator)$"][url~="^https?://"]';

/** Best native M4A first; otherwise any audio that ffmpeg can convert to M4A. */
export const AUDIO_FORMATS = `ba[ext=m4a]${PROTOCOLS}/ba[acodec^=mp4a]${PROTOCOLS}/ba${PROTOCOLS}/b${PROTOCOLS}`;

/** Best H.264 and AAC first; otherwise any format, which ffmpeg converts. A silent video is a video. */
export function videoFormats(maxHeight: number): string {
  const height = `[height<=?${String(maxHeight)}]${PROTOCOLS}`;
  const ba = `ba${PROTOCOLS}`;
  const native = `bv[vcodec^=avc1]${height}+${ba}[acodec^=mp4a]/b[vcodec^=avc1][acodec^=mp4a]${height}`;
  return `${native}/bv[vcodec^=avc1]${height}+${ba}/bv${height}+${ba}/b${height}/bv${height}`;
}

/** What was chosen: the exact size where the platform states it, and the formats when pictures and sound come apart. */
const CHOSEN_FORMATS =
  '{"size":%(filesize|null)s,"parts":%(requested_formats.:.format_id)j,"sizes":%(requested_formats.:.filesize)j,' +
  '"protocol":%(protocol)j,"url":%(requested_formats.0.url,url)j}';

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

/**
 * Arguments of a run that downloads one video into its working directory, as files `media.*`: two when pictures and
 * sound come apart.
 */
export function downloadArguments(settings: YtdlpSettings, formats: string): readonly string[] {
  return [
    // A list is refused by its length, for which two entries are enough.
    ...['--no-playlist', '--playlist-items', '1:2', '--no-mtime', '--no-overwrites', '--restrict-filenames'],
    ...['--max-filesize', String(settings.maxFileBytes)],
    ...['--format', formats, '--output', 'media.%(ext)s'],
    ...['--progress', '--newline', '--progress-delta', '0.5'],
    ...['--progress-template', `download:${PROGRESS_PREFIX}%(progress)j`],
    ...['--no-simulate', '--print', `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`],
    ...['--print', `before_dl:${FORMATS_PREFIX}${CHOSEN_FORMATS}`],
    // A broadcast that runs has no end to wait for.
    ...['--match-filters', '!is_live & live_status!=?is_upcoming'],
  ];
}
