// npm run yt-dlp: releases of yt-dlp that workers use instead of the one of YTDLP_PATH.
import { loadConfigOrExit } from '../../../config.ts';
import { readYtdlpVersion } from '../yt-dlp-version.ts';
import { runCommand, USAGE, UsageError } from './commands.ts';
import { createReleases } from './releases.ts';

const line = process.argv.slice(2);
if (line.includes('--help') || line.includes('-h')) {
  console.log(USAGE);
  process.exit(0);
}
const config = loadConfigOrExit(process.env, []);
const { YTDLP_CHANNEL: channel } = config;
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(new Error('stopped')));
try {
  if (channel === 'pinned') throw new Error('YTDLP_CHANNEL: stable or nightly here, and for the workers');
  const { version: pinned } = await readYtdlpVersion(config.YTDLP_PATH);
  const releases = createReleases({
    ...{ channel, folder: config.ytdlpDir, indexUrl: config.YTDLP_INDEX_URL, pinnedVersion: pinned },
    settings: {
      program: config.YTDLP_PATH,
      videoUrlTemplate: config.VIDNET_VIDEO_URL,
      channelUrlTemplate: config.VIDNET_CHANNEL_URL,
      pluginDir: config.YTDLP_PLUGIN_DIR,
      jsRuntime: config.YTDLP_JS_RUNTIME ?? `node:${process.execPath}`,
      maxFileBytes: config.MAX_FILE_BYTES,
      maxVideoHeight: config.MAX_VIDEO_HEIGHT,
    },
    tell: () => undefined,
  });
  console.log(await runCommand(line, { releases, pinned, signal: abort.signal }));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 1;
}
