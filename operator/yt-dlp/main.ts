// npm run yt-dlp: manages the releases of yt-dlp that workers use instead of the one of YTDLP_PATH.
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand, UsageError } from '../../runtime/operator-command.ts';
import { createReleases } from '../../sources/vidnet/releases/releases.ts';
import { ytdlpSettingsOf } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../../sources/vidnet/yt-dlp/yt-dlp-version.ts';

const USAGE = [
  'usage: npm run yt-dlp -- COMMAND',
  '  list    lists the installed releases, and shows which one new jobs use',
  '  update  installs the newest release of YTDLP_CHANNEL for new jobs',
  '  back    new jobs use the release before the current one, which is refused from now on',
].join('\n');

await runOperatorCommand(USAGE, async ([command = 'list', ...rest]) => {
  if (rest.length > 0 || !['list', 'update', 'back'].includes(command))
    throw new UsageError('There is no such command.');
  const config = loadConfigOrExit(process.env, []);
  const { YTDLP_CHANNEL: channel, YTDLP_INDEX_URL: indexUrl, ytdlpDir: folder } = config;
  if (channel === 'pinned') throw new Error('YTDLP_CHANNEL must be stable or nightly here and for the workers');
  const settings = ytdlpSettingsOf(config);
  const { version: pinnedVersion } = await readYtdlpVersion(settings.program);
  const { choose, install, read, reasonOf, refuse } = createReleases({
    ...{ channel, folder, indexUrl, settings, pinnedVersion },
    ...{ onEvent: () => undefined, signal: AbortSignal.timeout(30 * 60_000) },
  });
  const lines: string[] = [];
  if (command === 'update') {
    const newest = await install();
    lines.push(newest === undefined ? 'There is no newer release.' : `The newest release is ${newest}.`);
  }
  if (command === 'back') {
    const { version } = await choose();
    if (version === pinnedVersion) throw new UsageError(`new jobs use ${version}, which is the pinned release`);
    await refuse(version, 'by an operator');
  }
  const { installed, refused } = await read();
  const current = (await choose()).version;
  for (const version of installed) {
    const state = refused.includes(version) ? `refused: ${await reasonOf(version)}` : 'installed';
    lines.push(`${version}  ${version === current ? 'in use' : state}`);
  }
  lines.push(`${pinnedVersion}  ${current === pinnedVersion ? 'in use, ' : ''}of YTDLP_PATH`);
  return lines.join('\n');
});
