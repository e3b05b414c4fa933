import type { ForwardProxy } from '../../../outbound/forward-proxy.ts';
import type { MinimumRate } from '../../../runtime/stall-detector.ts';
import type { Start } from '../../../runtime/subprocess/run-program.ts';

/** The limits for reading a page and everything that it leads to, except the media. */
export interface ReadingLimits {
  readonly timeoutMs: number;
  /** The limit for the whole run, including the transfer of media. */
  readonly maxCpuSeconds: number;
  /** Counted by the built-in proxy, so there is no limit with YTDLP_PROXY. */
  readonly maxBytes: number;
}

export interface YtdlpSettings {
  readonly program: string;
  /** With `{id}`. */
  readonly videoUrlTemplate: string;
  /** With `{path}`: `@name`, `channel/UC…`, `c/name` or `user/name`. */
  readonly channelUrlTemplate: string;
  readonly pluginDir?: string | undefined;
  readonly cookiesFile?: string | undefined;
  readonly proxy?: string | undefined;
  /** The built-in proxy that refuses private addresses (`outbound/forward-proxy.ts`), used without `proxy`. */
  readonly guard?: Pick<ForwardProxy, 'lend'> | undefined;
  /** In yt-dlp's form, `youtube:lang=en;skip=dash`, with spaces between several extractors. */
  readonly extractorArgs?: string | undefined;
  readonly jsRuntime?: string | undefined;
  /** Starts the program faster than the system does (`warm-yt-dlp.ts`). */
  readonly starter?: YtdlpStarter | undefined;
  /** Chooses the program of each run instead of `program` (`releases/releases.ts`). */
  readonly chooseProgram?: (() => Promise<Pick<YtdlpSettings, 'program'>>) | undefined;
  readonly minimumRate?: MinimumRate;
  readonly pageLimits?: Partial<ReadingLimits>;
  /** Fetches sections of recordings. */
  readonly ffmpeg?: string | undefined;
  readonly maxFileBytes: number;
  readonly maxVideoHeight: number;
}

export interface YtdlpStarter {
  /** @returns also the folder of programs that a run may start; undefined when yt-dlp must be started as usual */
  readonly startOf: (
    settings: Pick<YtdlpSettings, 'program' | 'pluginDir'>,
  ) => Promise<{ readonly start: Start; readonly programs: string } | undefined>;
}

export function ytdlpSettingsOf(config: {
  readonly YTDLP_PATH: string;
  readonly YTDLP_PLUGIN_DIR?: string | undefined;
  readonly YTDLP_COOKIES_FILE?: string | undefined;
  readonly YTDLP_PROXY?: string | undefined;
  readonly YTDLP_EXTRACTOR_ARGS?: string | undefined;
  readonly YTDLP_JS_RUNTIME?: string | undefined;
  readonly FFMPEG_PATH: string;
  readonly VIDNET_VIDEO_URL: string;
  readonly VIDNET_CHANNEL_URL: string;
  readonly MAX_VIDEO_HEIGHT: number;
  readonly MAX_FILE_BYTES: number;
}): YtdlpSettings {
  return {
    program: config.YTDLP_PATH,
    videoUrlTemplate: config.VIDNET_VIDEO_URL,
    channelUrlTemplate: config.VIDNET_CHANNEL_URL,
    pluginDir: config.YTDLP_PLUGIN_DIR,
    cookiesFile: config.YTDLP_COOKIES_FILE,
    proxy: config.YTDLP_PROXY,
    extractorArgs: config.YTDLP_EXTRACTOR_ARGS,
    jsRuntime: config.YTDLP_JS_RUNTIME ?? `node:${process.execPath}`,
    ffmpeg: config.FFMPEG_PATH,
    maxVideoHeight: config.MAX_VIDEO_HEIGHT,
    maxFileBytes: config.MAX_FILE_BYTES,
  };
}

export function videoUrl(settings: YtdlpSettings, videoId: string): string {
  return settings.videoUrlTemplate.replaceAll('{id}', encodeURIComponent(videoId));
}

/** @param path segments such as `['channel', 'UC…']`, which are percent-encoded except for the `@` of a handle */
export function channelUrl(settings: YtdlpSettings, path: readonly string[]): string {
  const encoded = path.map((segment) => encodeURIComponent(segment).replace(/^%40/, '@')).join('/');
  return settings.channelUrlTemplate.replaceAll('{path}', () => encoded);
}
