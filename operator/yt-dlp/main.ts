// npm run yt-dlp: manages the releases of yt-dlp that workers use instead of the one of YTDLP_PATH.
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { ytdlpSettingsOf } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { runCommand, USAGE } from '../../sources/vidnet/releases/release-commands.ts';
import { createReleases } from '../../sources/vidnet/releases/releases.ts';

await runOperatorCommand(USAGE, async (line) => {
  const config = loadConfigOrExit(process.env, []);
  const { YTDLP_CHANNEL: channel } = config;
  if (channel === 'pinned') throw new Error('YTDLP_CHANNEL must be stable or nightly here and for the workers');
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(new Error('stopped')));
  const { version: pinned } = await readYtdlpVersion(config.YTDLP_PATH);
  const releases = createReleases({
    ...{ channel, folder: config.ytdlpDir, indexUrl: config.YTDLP_INDEX_URL, pinnedVersion: pinned },
    ...{ settings: ytdlpSettingsOf(config), onEvent: () => undefined },
  });
  return runCommand(line, { releases, pinned, signal: abort.signal });
});
