import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';
import { orMissing } from './or-missing.ts';

const FOLDER_NAME = /^[\w-]{1,60}$/;

export type WorkFolders = ReturnType<typeof createWorkFolders>;

/** A folder of another host is abandoned after this time, which exceeds any pause of a process and difference of clocks. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/**
 * Folders are named `<record>~<host>~<process>~<random>`. The process has its start time, because process IDs are reused.
 * Processes of other hosts, such as containers that share a volume, are invisible, so each touches its folders.
 */
export function createWorkFolders(root: string, { touchEveryMs = 30_000 } = {}) {
  const isAbandoned = async (name: string): Promise<boolean> => {
    const [, host, owner = ''] = name.split('~');
    if (host === hostname()) return processIdentity(Number.parseInt(owner, 10)) !== owner;
    return isOlder(name, Date.now() - ABANDONED_AFTER_MS);
  };
  const removeWhere = async (isChosen: (name: string) => boolean | Promise<boolean>): Promise<readonly string[]> => {
    const removed: string[] = [];
    for (const name of (await readdir(root).catch(orMissing)) ?? []) {
      if (name.includes('~') && (await isChosen(name))) removed.push(name);
    }
    await Promise.all(removed.map((name) => rm(join(root, name), { recursive: true, force: true })));
    return removed;
  };
  const isOlder = async (name: string, beforeMs: number): Promise<boolean> =>
    ((await stat(join(root, name)).catch(orMissing))?.mtimeMs ?? Infinity) < beforeMs;
  return {
    /** Creates a private folder for one attempt, and removes those of attempts at the same record whose process has died. */
    async open(recordId: string) {
      if (!FOLDER_NAME.test(recordId)) throw new Error(`${JSON.stringify(recordId)} cannot name a work folder`);
      await removeWhere((name) => name.startsWith(`${recordId}~`) && isAbandoned(name));
      const owner = processIdentity(process.pid) ?? String(process.pid);
      const path = join(root, [recordId, hostname(), owner, randomBytes(6).toString('hex')].join('~'));
      await mkdir(path, { recursive: true, mode: 0o700 });
      const touching = setInterval(() => {
        // If the disk is full or away for a moment, the next attempt is early enough.
        utimes(path, new Date(), new Date()).catch(() => undefined);
      }, touchEveryMs).unref();
      const remove = (): Promise<void> => {
        clearInterval(touching);
        return rm(path, { recursive: true, force: true });
      };
      return { path, remove };
    },
    /** Removes the folders of dead workers; those of other hosts after ten minutes. @returns their names */
    removeAbandoned: (): Promise<readonly string[]> => removeWhere(isAbandoned),
    /** Removes folders that have not changed since a time, in milliseconds since 1970. @returns their names */
    removeOlderThan: (beforeMs: number): Promise<readonly string[]> => removeWhere((name) => isOlder(name, beforeMs)),
  };
}
