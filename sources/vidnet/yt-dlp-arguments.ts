/** Settings of the driver; the operator's, never a caller's. */
export interface YtdlpSettings {
  readonly program: string;
  /** Page of a video, with `{id}`. */
  readonly videoUrlTemplate: string;
  readonly pluginDir?: string | undefined;
  readonly cookiesFile?: string | undefined;
  readonly proxy?: string | undefined;
  readonly extractorArgs?: string | undefined;
  readonly jsRuntime?: string | undefined;
  readonly maxFileBytes: number;
  /** Tallest picture of a video, in pixels. */
  readonly maxVideoHeight: number;
}

/** Keys of the metadata that the driver reads. */
const METADATA_KEYS = 'duration,live_status';

/** Best native M4A first; otherwise any audio that ffmpeg can turn into one. */
export const AUDIO_FORMATS = 'ba[ext=m4a]/ba[acodec^=mp4a]/ba/b';

/** Best H.264 and AAC first; otherwise whatever there is, which ffmpeg turns into them. A silent video is a video. */
export function videoFormats(maxHeight: number): string {
  const height = `[height<=?${String(maxHeight)}]`;
  const native = `bv[vcodec^=avc1]${height}+ba[acodec^=mp4a]/b[vcodec^=avc1][acodec^=mp4a]${height}`;
  return `${native}/bv[vcodec^=avc1]${height}+ba/bv${height}+ba/b${height}/bv${height}`;
}

/** What was chosen: the exact size where the platform states it, and the formats when pictures and sound come apart. */
const CHOSEN_FORMATS =
  '{"size":%(filesize|null)s,"parts":%(requested_formats.:.format_id)j,"sizes":%(requested_formats.:.filesize)j}';

/** Lines on stdout begin with one of these words. */
export const METADATA_PREFIX = 'TAPEDECK-VIDEO ';
export const PROGRESS_PREFIX = 'TAPEDECK-PROGRESS ';
export const FORMATS_PREFIX = 'TAPEDECK-FORMATS ';

/**
 * Arguments of a yt-dlp run that downloads one video into its working directory, as files `media.*`: two when pictures
 * and sound come apart.
 *
 * @param cookiesCopy yt-dlp writes its cookie file back, so each run gets a copy
 */
export function downloadArguments(
  settings: YtdlpSettings,
  what: { readonly mediaId: string; readonly formats: string },
  cookiesCopy: string | undefined,
): readonly string[] {
  const url = settings.videoUrlTemplate.replaceAll('{id}', encodeURIComponent(what.mediaId));
  return [
    // Nothing from the machine's own configuration, and nothing that runs or writes anything else.
    ...['--ignore-config', '--no-plugin-dirs', '--no-exec', '--no-cache-dir', '--no-update', '--no-color'],
    // On a geo-block yt-dlp would ask again with an invented X-Forwarded-For: we do not evade.
    ...['--xff', 'never'],
    ...['--no-playlist', '--no-mtime', '--no-overwrites', '--restrict-filenames'],
    ...(settings.pluginDir === undefined ? [] : ['--plugin-dirs', settings.pluginDir]),
    ...(cookiesCopy === undefined ? [] : ['--cookies', cookiesCopy]),
    ...(settings.proxy === undefined ? [] : ['--proxy', settings.proxy]),
    ...(settings.extractorArgs === undefined ? [] : ['--extractor-args', settings.extractorArgs]),
    ...(settings.jsRuntime === undefined ? [] : ['--js-runtimes', settings.jsRuntime]),
    // Short passing faults are mended here; longer ones by the workflow, where operators see them.
    ...['--retries', '2', '--extractor-retries', '1', '--fragment-retries', '2', '--socket-timeout', '20'],
    ...['--max-filesize', String(settings.maxFileBytes)],
    // Containers are mended, and pictures and sound joined, by our own hardened ffmpeg run: yt-dlp must find none.
    ...['--fixup', 'never', '--ffmpeg-location', '/nonexistent'],
    ...['--format', what.formats, '--output', 'media.%(ext)s'],
    ...['--quiet', '--progress', '--newline', '--progress-delta', '0.5'],
    ...['--progress-template', `download:${PROGRESS_PREFIX}%(progress)j`],
    ...['--no-simulate', '--print', `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`],
    ...['--print', `before_dl:${FORMATS_PREFIX}${CHOSEN_FORMATS}`],
    // A broadcast that runs has no end to wait for.
    ...['--match-filters', '!is_live & live_status!=?is_upcoming'],
    '--',
    url,
  ];
}
