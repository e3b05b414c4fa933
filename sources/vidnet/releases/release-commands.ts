import { UsageError } from '../../../runtime/operator-command.ts';
import { datedVersion } from '../../../runtime/subprocess/dated-version.ts';
import type { Releases } from './releases.ts';
import { PINNED } from './release-folder.ts';
import { compareVersions, isRelease } from './release-version.ts';

export const USAGE = [
  'usage: npm run yt-dlp -- COMMAND',
  '  list         the releases that are there, and which one new jobs use',
  '  update       fetches the newest of YTDLP_CHANNEL, for the next job to try; ends what `use` has begun',
  '  use VERSION  new jobs use this release, also an older one; `pinned`: the one of YTDLP_PATH',
  '  back         new jobs use the release before, and this one never again',
].join('\n');

export interface CommandOptions {
  readonly releases: Releases;
  /** Version of the one of YTDLP_PATH. */
  readonly pinned: string;
  readonly signal: AbortSignal;
}

/** Workers that share the folder follow with their next job. @returns what to print */
export async function runCommand(line: readonly string[], options: CommandOptions): Promise<string> {
  const { releases, pinned, signal } = options;
  const { folder } = releases;
  const [command = 'list', given, ...rest] = line;
  // As the index names what the program calls 2026.08.19.
  const version = given?.replace(/\.0+(?=\d)/g, '.');
  if (rest.length > 0 || (version !== undefined && command !== 'use')) throw new UsageError('too many words');
  switch (command) {
    case 'list':
      return list(options);
    case 'update': {
      await folder.choose(undefined);
      const newest = await releases.update(signal);
      return `${newest === undefined ? 'There is none newer.' : `The newest is ${newest}.`}\n${await list(options)}`;
    }
    case 'use': {
      if (version === undefined || !(version === PINNED || isRelease(version)))
        throw new UsageError('use which VERSION?');
      const { releases: there } = await folder.read();
      const isThere = version === PINNED || compareVersions(version, pinned) === 0;
      if (!isThere && !there.some((one) => one.version === version)) await releases.fetch(version, signal);
      await folder.pardon(version);
      await folder.choose(isThere ? PINNED : version);
      return list(options);
    }
    case 'back': {
      const { current } = await releases.choose();
      await folder.choose(undefined);
      if (current === undefined) throw new UsageError(`new jobs use ${pinned}, and there is none before`);
      await folder.refuse(current, 'by an operator');
      return list(options);
    }
    default:
      throw new UsageError(`there is no ${command}`);
  }
}

async function list({ releases, pinned }: CommandOptions): Promise<string> {
  const state = await releases.folder.read();
  const { current, candidate } = await releases.choose();
  const rows = [
    ...state.releases.map(({ version, state: how, reason }) => {
      if (version === current) return [version, state.chosen === version ? 'in use, as you chose' : 'in use'];
      if (version === candidate) return [version, 'the next job tries it'];
      return [version, reason === undefined ? how : `${how}: ${reason}`];
    }),
    [pinned, `${current === undefined ? 'in use, ' : ''}of YTDLP_PATH`],
  ];
  return rows.map(([version = '', how = '']) => `${version}  ${ageOf(version)}${how}`).join('\n');
}

function ageOf(version: string): string {
  const { ageDays } = datedVersion(version, Date.now());
  return ageDays === undefined ? '' : `${ageDays} days old, `;
}
