import { UsageError } from '../../../runtime/operator-command.ts';
import { PINNED } from './release-folder.ts';
import { compareVersions, isRelease } from './release-version.ts';
import type { Releases } from './releases.ts';

export const USAGE = [
  'usage: npm run yt-dlp -- COMMAND',
  '  list         lists the installed releases, and shows which one new jobs use',
  '  update       installs the newest release of YTDLP_CHANNEL for new jobs, and ends the choice of `use`',
  '  use VERSION  new jobs use this release, also an older one; `pinned`: the one of YTDLP_PATH',
  '  back         new jobs use the release before the current one, which is refused from now on',
].join('\n');

interface CommandOptions {
  readonly releases: Releases;
  /** The version of YTDLP_PATH. */
  readonly pinned: string;
  readonly signal: AbortSignal;
}

/** Runs a command. Workers that share the folder follow with their next job. @returns the text to print */
export async function runCommand(line: readonly string[], options: CommandOptions): Promise<string> {
  const { releases, pinned, signal } = options;
  const { folder } = releases;
  const [command = 'list', given = '', ...rest] = line;
  if (rest.length > 0 || (given !== '' && command !== 'use')) throw new UsageError('too many words');
  let result = '';
  switch (command) {
    case 'list':
      break;
    case 'update': {
      await folder.endChoice();
      const newest = await releases.install(signal);
      result = newest === undefined ? 'There is none newer.\n' : `The newest is ${newest}.\n`;
      break;
    }
    case 'use': {
      // The program prints 2026.08.19 for what the index calls 2026.8.19.
      const version = compareVersions(given, pinned) === 0 ? PINNED : given.replace(/\.0+(?=\d)/g, '.');
      if (version !== PINNED && !isRelease(version)) throw new UsageError('use which VERSION?');
      const isInstalled = version === PINNED || (await folder.read()).installed.includes(version);
      if (!isInstalled && (await releases.install(signal, version)) === undefined)
        throw new Error(`YTDLP_INDEX_URL has no yt-dlp ${version} that can be used`);
      await folder.choose(version);
      break;
    }
    case 'back': {
      const current = await releases.choose();
      await folder.endChoice();
      if (current === PINNED) throw new UsageError(`new jobs use ${pinned}, and there is none before`);
      await folder.refuse(current, 'by an operator');
      break;
    }
    default:
      throw new UsageError(`there is no ${command}`);
  }
  return result + (await list(options));
}

async function list({ releases: { folder, choose }, pinned }: CommandOptions): Promise<string> {
  const { installed, refused, chosen } = await folder.read();
  const current = await choose();
  const rows = installed.map(async (version) => {
    if (version === current) return `${version}  ${chosen === version ? 'in use, as you chose' : 'in use'}`;
    return `${version}  ${refused.includes(version) ? `refused: ${await folder.reasonOf(version)}` : 'installed'}`;
  });
  return [...(await Promise.all(rows)), `${pinned}  ${current === PINNED ? 'in use, ' : ''}of YTDLP_PATH`].join('\n');
}
