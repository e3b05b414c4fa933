import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions, isOfChannel, isRelease, type YtdlpChannel } from './release-version.ts';

/** Twice the longest duration of a call. A release that was not used for so long is not in use. */
const UNUSED_AFTER_MS = 24 * 3_600_000;
/** The current release and the previous one. */
const KEPT = 2;
const CHOSEN = 'chosen';
/** What an operator may choose instead of a release. */
export const PINNED = 'pinned';

/** `untried`: no job has read a page with it yet. */
export type ReleaseState = 'untried' | 'good' | 'refused';

export interface InstalledRelease {
  readonly version: string;
  readonly state: ReleaseState;
  /** Why it is refused. */
  readonly reason?: string;
}

/** Contents of the folder, the newest release first. */
export interface FolderState {
  readonly releases: readonly InstalledRelease[];
  /** Refused, and no longer there. */
  readonly refused: readonly string[];
  /** By the operator: a release or `pinned`. */
  readonly chosen: string | undefined;
}

/**
 * Releases of yt-dlp, each in a folder of its name, with files beside it that hold its state. All workers that share the
 * folder see the same state. Each file holds one fact, so that no worker overwrites a fact of another one.
 */
export type ReleaseFolder = ReturnType<typeof createReleaseFolder>;

export function createReleaseFolder(path: string) {
  const pathOf = (version: string, ending = ''): string => {
    if (!isRelease(version)) throw new Error(`${JSON.stringify(version)} is not a release of yt-dlp`);
    return join(path, `${version}${ending}`);
  };
  const goodFile = (version: string): string => pathOf(version, '.good');
  const refusedFile = (version: string): string => pathOf(version, '.refused');
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path, { recursive: true });
    const staged = stagedName(file);
    await writeFile(staged, `${text}\n`);
    await rename(staged, file);
  };
  const read = async (): Promise<FolderState> => {
    const names = await readdir(path).catch(ifMissing<string[]>([]));
    const existing = new Set(names);
    const releaseOf = async (version: string): Promise<InstalledRelease> => {
      if (!existing.has(`${version}.refused`))
        return { version, state: existing.has(`${version}.good`) ? 'good' : 'untried' };
      return { version, state: 'refused', reason: await textOf(refusedFile(version)) };
    };
    const newestFirst = names.filter(isRelease).sort((one, other) => compareVersions(other, one));
    const refused = names.flatMap((name) => (name.endsWith('.refused') ? [name.slice(0, -'.refused'.length)] : []));
    return {
      releases: await Promise.all(newestFirst.map(releaseOf)),
      refused: refused.filter((version) => !existing.has(version)),
      chosen: existing.has(CHOSEN) ? await textOf(join(path, CHOSEN)) : undefined,
    };
  };
  return {
    path,
    read,
    pathOf: (version: string): string => pathOf(version),
    stagingFor: (version: string): string => stagedName(pathOf(version)),
    /** A job has read a page with it. */
    approve: (version: string): Promise<void> => write(goodFile(version), new Date().toISOString()),
    /** It is not used again. */
    refuse: (version: string, reason: string): Promise<void> => write(refusedFile(version), reason),
    /** Forgets that it was refused. */
    pardon: (version: string): Promise<void> => rm(refusedFile(version), { force: true }),
    /** @param version undefined: the newest good one from now on */
    choose: (version: string | undefined): Promise<void> =>
      version === undefined ? rm(join(path, CHOSEN), { force: true }) : write(join(path, CHOSEN), version),
    /** Marks a release as used. A worker calls this again and again while it uses the release. */
    touch: async (version: string): Promise<void> => {
      const now = new Date();
      await utimes(pathOf(version), now, now).catch(ifMissing(undefined));
    },
    /**
     * Removes what was not used for a day: releases except the newest two and the given ones, and unfinished installations.
     *
     * @param used versions
     * @returns versions that are gone
     */
    async tidy(used: readonly string[], nowMs: number): Promise<readonly string[]> {
      const { releases, chosen } = await read();
      const kept = new Set([...releases.slice(0, KEPT).map(({ version }) => version), ...used, chosen]);
      const removed: string[] = [];
      for (const name of await readdir(path).catch(ifMissing<string[]>([]))) {
        if (!isRelease(name) && !name.endsWith('.tmp')) continue;
        const isOld = await stat(join(path, name)).then(
          ({ mtimeMs }) => nowMs - mtimeMs > UNUSED_AFTER_MS,
          ifMissing(false),
        );
        if (kept.has(name) || !isOld) continue;
        await rm(join(path, name), { recursive: true, force: true });
        if (!isRelease(name)) continue;
        await rm(goodFile(name), { force: true });
        removed.push(name);
      }
      return removed;
    },
  };
}

/** Which release a run takes. */
export interface Choice {
  /** undefined: the pinned one. */
  readonly current: string | undefined;
  /** The one before, for what the current one can't read. */
  readonly older: string | undefined;
  /** A newer one that no job has tried. */
  readonly candidate: string | undefined;
}

/** @param pinned version of the one that was there before any other: nothing older is used, unless the operator chose it */
export function chooseRelease(
  { releases, chosen }: Pick<FolderState, 'releases' | 'chosen'>,
  { pinned, channel }: { readonly pinned: string; readonly channel: YtdlpChannel },
): Choice {
  const usable = releases.filter(
    ({ version, state }) =>
      state !== 'refused' && isOfChannel(version, channel) && compareVersions(version, pinned) > 0,
  );
  const good = usable.filter(({ state }) => state === 'good').map(({ version }) => version);
  if (chosen === PINNED) return { current: undefined, older: undefined, candidate: undefined };
  const isThere = chosen !== undefined && releases.some(({ version }) => version === chosen);
  if (isThere) return { current: chosen, older: good.find((version) => version !== chosen), candidate: undefined };
  const [current, older] = good;
  const newest = usable[0];
  return { current, older, candidate: newest?.state === 'untried' ? newest.version : undefined };
}

function stagedName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

async function textOf(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(ifMissing(''))).trim();
}

/** Another worker may have removed the file. */
function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return value;
  };
}
