import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareVersions, isOfChannel, isRelease, type YtdlpChannel } from './release-version.ts';

/** Calls are shorter than a day, so an older release that was replaced twice is not in use. */
const REMOVED_AFTER_MS = 24 * 3_600_000;
/** The current release and the one before it. */
const KEPT = 2;
const REFUSED = '.refused';
/** Stands for the yt-dlp of YTDLP_PATH wherever a release is named. */
export const PINNED = 'pinned';

export interface FolderState {
  /** The newest first. */
  readonly installed: readonly string[];
  /** Including releases that were removed since. */
  readonly refused: readonly string[];
  /** The operator's choice: a release or `pinned`. */
  readonly chosen: string | undefined;
}

/** Installed releases, each in a folder named after its version. Files beside them hold what all workers share. */
export function createReleaseFolder(path: string) {
  const pathOf = (version: string, ending = ''): string => {
    if (!isRelease(version)) throw new Error(`${JSON.stringify(version)} is not a release of yt-dlp`);
    return join(path, version + ending);
  };
  const chosenFile = join(path, 'chosen');
  const textOf = (file: string): Promise<string> =>
    readFile(file, 'utf8')
      .catch(ifMissing(''))
      .then((text) => text.trim());
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path, { recursive: true });
    await writeFile(file, `${text}\n`);
  };
  const read = async (): Promise<FolderState> => {
    const names = await readdir(path).catch(ifMissing<string[]>([]));
    return {
      installed: names.filter(isRelease).sort((one, other) => compareVersions(other, one)),
      refused: names.filter((name) => name.endsWith(REFUSED)).map((name) => name.slice(0, -REFUSED.length)),
      chosen: names.includes(basename(chosenFile)) ? await textOf(chosenFile) : undefined,
    };
  };
  return {
    read,
    /** @throws for a text that names no release */
    pathOf: (version: string): string => pathOf(version),
    refuse: (version: string, reason: string): Promise<void> => write(pathOf(version, REFUSED), reason),
    reasonOf: (version: string): Promise<string> => textOf(pathOf(version, REFUSED)),
    /** Makes a release, or `pinned`, the operator's choice, even if it was refused. */
    choose: async (version: string): Promise<void> => {
      if (version !== PINNED) await rm(pathOf(version, REFUSED), { force: true });
      await write(chosenFile, version);
    },
    endChoice: (): Promise<void> => rm(chosenFile, { force: true }),
    /** Removes old releases, except the newest two and the current one, and what killed installations have left. */
    async removeOld(current: string): Promise<void> {
      const { installed } = await read();
      const kept = [...installed.slice(0, KEPT), current];
      for (const name of await readdir(path).catch(ifMissing<string[]>([]))) {
        if (kept.includes(name) || !(isRelease(name) || name.endsWith('.tmp'))) continue;
        const { mtimeMs } = await stat(join(path, name));
        if (Date.now() - mtimeMs > REMOVED_AFTER_MS) await rm(join(path, name), { recursive: true, force: true });
      }
    },
  };
}

/** @returns the release that new jobs use: the operator's choice, or the newest one that is newer than the pinned one */
export function chooseRelease(
  { installed, refused, chosen }: FolderState,
  { pinned, channel }: { readonly pinned: string; readonly channel: YtdlpChannel },
): string {
  if (chosen !== undefined && installed.includes(chosen)) return chosen;
  const isUsable = (version: string): boolean =>
    !refused.includes(version) && isOfChannel(version, channel) && compareVersions(version, pinned) > 0;
  return (chosen === PINNED ? undefined : installed.find(isUsable)) ?? PINNED;
}

/** Another worker may have removed the file. */
function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return value;
  };
}
