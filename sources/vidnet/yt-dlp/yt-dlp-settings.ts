import type { Config } from '../../../config.ts';
import type { LeastRate } from '../../../runtime/stall-detector.ts';
import type { Start } from '../../../runtime/subprocess/run-program.ts';
import type { ReadingLimits } from './page-reading.ts';

/** Settings of the driver; the operator's, never a caller's. */
export interface YtdlpSettings {
  readonly program: string;
  /** Page of a video, with `{id}`. */
  readonly videoUrlTemplate: string;
  /** Page of a channel, with `{path}`: `@name`, `channel/UC…`, `c/name` or `user/name`. */
  readonly channelUrlTemplate: string;
  readonly pluginDir?: string | undefined;
  readonly cookiesFile?: string | undefined;
  readonly proxy?: string | undefined;
  /** The proxy that judges each address that is dialled (`outbound/forward-proxy.ts`): used where `proxy` is not set. */
  readonly guard?: YtdlpGuard | undefined;
  /** As yt-dlp takes them: `youtube:lang=en;skip=dash`. Those of several extractors are parted by spaces. */
  readonly extractorArgs?: string | undefined;
  readonly jsRuntime?: string | undefined;
  /** What starts it faster than the system does: `warm-yt-dlp.ts`. */
  readonly starter?: YtdlpStarter | undefined;
  /** Picks the release of each run instead of `program` and `starter`: `releases/releases.ts`. */
  readonly releases?: { readonly pick: () => Promise<YtdlpRelease> } | undefined;
  /** Of a download. */
  readonly leastRate?: LeastRate;
  /** Overrides of the limits of every run. */
  readonly pageLimits?: Partial<ReadingLimits>;
  readonly maxFileBytes: number;
  /** Tallest picture of a video, in pixels. */
  readonly maxVideoHeight: number;
}

export interface YtdlpGuard {
  /** @returns its URL with a password for one call, which `end` makes void */
  readonly lend: () => { readonly url: string; readonly receivedBytes: () => number; readonly end: () => void };
}

export interface YtdlpStarter {
  /** @returns undefined when the program is to be started as any other */
  readonly startOf: (settings: Pick<YtdlpSettings, 'program' | 'pluginDir'>) => Promise<Start | undefined>;
}

/** One of several installed versions of yt-dlp. */
export type YtdlpRelease = Pick<YtdlpSettings, 'program' | 'starter'>;

/** What the operator has set. */
export function ytdlpSettingsOf(config: Config): YtdlpSettings {
  return {
    program: config.YTDLP_PATH,
    videoUrlTemplate: config.VIDNET_VIDEO_URL,
    channelUrlTemplate: config.VIDNET_CHANNEL_URL,
    pluginDir: config.YTDLP_PLUGIN_DIR,
    cookiesFile: config.YTDLP_COOKIES_FILE,
    proxy: config.YTDLP_PROXY,
    extractorArgs: config.YTDLP_EXTRACTOR_ARGS,
    jsRuntime: config.YTDLP_JS_RUNTIME ?? `node:${process.execPath}`,
    maxVideoHeight: config.MAX_VIDEO_HEIGHT,
    maxFileBytes: config.MAX_FILE_BYTES,
  };
}

export function videoUrl(settings: YtdlpSettings, videoId: string): string {
  return settings.videoUrlTemplate.replaceAll('{id}', encodeURIComponent(videoId));
}

/** @param path segments such as `['channel', 'UC…']`; each is percent-encoded, except for the `@` of a handle */
export function channelUrl(settings: YtdlpSettings, path: readonly string[]): string {
  const encoded = path.map((segment) => encodeURIComponent(segment).replace(/^%40/, '@')).join('/');
  return settings.channelUrlTemplate.replaceAll('{path}', () => encoded);
}
