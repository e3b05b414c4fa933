import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../outbound/forward-proxy.ts';
import { YTDLP_OLD_AFTER_DAYS } from '../runtime/subprocess/dated-version.ts';
import { readYtdlpVersion } from '../sources/vidnet/yt-dlp-version.ts';
import type { YtdlpSettings } from '../sources/vidnet/yt-dlp-settings.ts';
import { createWarmYtdlp } from '../sources/vidnet/warm-yt-dlp.ts';

/** How yt-dlp is run. A worker whose roles need none starts nothing for it, and asks for no program. */
export async function setUpYtdlp(config: Config, log: Logger) {
  const isUsed = config.WORKER_ROLES.some((role) => role === 'vidnet' || role === 'media');
  const guard = isUsed
    ? await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks: config.mediaAllowedNetworks })
    : undefined;
  const cold: YtdlpSettings = {
    program: config.YTDLP_PATH,
    videoUrlTemplate: config.VIDNET_VIDEO_URL,
    channelUrlTemplate: config.VIDNET_CHANNEL_URL,
    pluginDir: config.YTDLP_PLUGIN_DIR,
    cookiesFile: config.YTDLP_COOKIES_FILE,
    proxy: config.YTDLP_PROXY,
    guardUrl: guard?.url,
    extractorArgs: config.YTDLP_EXTRACTOR_ARGS,
    jsRuntime: config.YTDLP_JS_RUNTIME ?? `node:${process.execPath}`,
    maxVideoHeight: config.MAX_VIDEO_HEIGHT,
    maxFileBytes: config.MAX_FILE_BYTES,
  };
  const warm = isUsed
    ? createWarmYtdlp(cold, {
        tell: (failure) =>
          failure === undefined
            ? log.info('yt-dlp is kept warm')
            : log.warn({ err: failure }, 'yt-dlp is not kept warm: each call starts it anew, which takes longer'),
      })
    : undefined;
  return {
    settings: { ...cold, starter: warm } satisfies YtdlpSettings,
    /** Looks whether it works, and how old it is. Meanwhile it warms up. @throws JobError `tool_missing` */
    async check(): Promise<void> {
      if (!isUsed) return;
      const version = await readYtdlpVersion(config.YTDLP_PATH, warm);
      const isOld = (version.ageDays ?? 0) >= YTDLP_OLD_AFTER_DAYS;
      log[isOld ? 'warn' : 'info'](version, isOld ? 'yt-dlp is old: platforms change within weeks' : 'yt-dlp');
    },
    async close(): Promise<void> {
      await warm?.close();
      await guard?.close();
    },
  };
}
