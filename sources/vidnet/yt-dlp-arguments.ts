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
}

/** Keys of the metadata that the driver reads. */
const METADATA_KEYS = 'id,title,duration,live_status,ext,acodec';

/** Best native M4A first; otherwise any audio that ffmpeg can turn into one. */
const AUDIO_FORMATS = 'ba[ext=m4a]/ba[acodec^=mp4a]/ba/b';

/** Lines on stdout begin with one of these words. */
export const METADATA_PREFIX = 'TAPEDECK-VIDEO ';
export const PROGRESS_PREFIX = 'TAPEDECK-PROGRESS ';
export const FILE_PREFIX = 'TAPEDECK-FILE ';

/**
 * Arguments of a yt-dlp run that downloads the audio of one video into its working directory as `media.<ext>`.
 *
 * @param cookiesCopy yt-dlp writes its cookie file back, so each run gets a copy
 */
export function audioArguments(
  settings: YtdlpSettings,
  mediaId: string,
  cookiesCopy: string | undefined,
): readonly string[] {
  const url = settings.videoUrlTemplate.replaceAll('{id}', encodeURIComponent(mediaId));
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
    // Containers are mended by our own hardened ffmpeg run, not by yt-dlp's.
    ...['--fixup', 'never', '--format', AUDIO_FORMATS, '--output', 'media.%(ext)s'],
    ...['--quiet', '--progress', '--newline', '--progress-delta', '0.5'],
    ...['--progress-template', `download:${PROGRESS_PREFIX}%(progress)j`],
    ...['--no-simulate', '--print', `pre_process:${METADATA_PREFIX}%(.{${METADATA_KEYS}})j`],
    ...['--print', `after_move:${FILE_PREFIX}%(filepath)j`],
    // A broadcast that runs has no end to wait for.
    ...['--match-filters', '!is_live & live_status!=?is_upcoming'],
    '--',
    url,
  ];
}
