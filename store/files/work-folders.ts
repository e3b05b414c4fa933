import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';
import { orMissing } from '../records/or-missing.ts';

/** Record ids, and what else may name a folder. */
const OWNER = /^[\w-]{1,60}$/;

export type WorkFolders = ReturnType<typeof createWorkFolders>;

/** How often an open folder shows that its process lives: by its time of change. */
const SIGN_EVERY_MS = 30_000;
/** Of a folder of another host: far longer than any pause of a process, and than clocks differ. */
const GONE_AFTER_MS = 10 * 60_000;

/**
 * Folders are named `<record>~<host>~<process>~<random>`. A process id alone may be taken again after a crash, so its
 * start time belongs to the name. Processes of other hosts, such as other containers on one volume, cannot be seen: they
 * touch their folders while they live.
 */
export function createWorkFolders(root: string, { signEveryMs = SIGN_EVERY_MS } = {}) {
  const isGone = async (name: string): Promise<boolean> => {
    const [, host, owner = ''] = name.split('~');
    if (host === hostname()) return processIdentity(Number.parseInt(owner, 10)) !== owner;
    const stats = await stat(join(root, name)).catch(orMissing);
    return stats !== undefined && stats.mtimeMs < Date.now() - GONE_AFTER_MS;
  };
  const removeWhere = async (chosen: (recordId: string) => boolean): Promise<readonly string[]> => {
    const names = (await readdir(root).catch(orMissing)) ?? [];
    const dead: string[] = [];
    for (const name of names) {
      const [recordId = '', host] = name.split('~');
      if (chosen(recordId) && host !== undefined && (await isGone(name))) dead.push(name);
    }
    await Promise.all(dead.map((name) => rm(join(root, name), { recursive: true, force: true })));
    return dead;
  };
  return {
    /** A fresh private folder for one attempt at one record, on the file system of the file store. What dead attempts at it left behind is removed first. */
    async open(recordId: string) {
      if (!OWNER.test(recordId)) throw new Error(`${JSON.stringify(recordId)} cannot name a work folder`);
      await removeWhere((id) => id === recordId);
      const owner = processIdentity(process.pid) ?? String(process.pid);
      const path = join(root, [recordId, hostname(), owner, randomBytes(6).toString('hex')].join('~'));
      await mkdir(path, { recursive: true, mode: 0o700 });
      const sign = setInterval(() => {
        // A disk that is full or away for a moment: the next one comes soon enough.
        utimes(path, new Date(), new Date()).catch(() => undefined);
      }, signEveryMs).unref();
      const remove = (): Promise<void> => {
        clearInterval(sign);
        return rm(path, { recursive: true, force: true });
      };
      return { path, remove };
    },
    /** Removes what dead workers left behind, of other hosts what they left ten minutes ago. @returns the names removed */
    removeAbandoned: (): Promise<readonly string[]> => removeWhere(() => true),
    /** Removes folders that nothing was made in since a time (milliseconds since 1970), whoever made them. @returns their names */
    async removeOlderThan(beforeMs: number): Promise<readonly string[]> {
      const old: string[] = [];
      for (const name of (await readdir(root).catch(orMissing)) ?? []) {
        const stats = name.includes('~') ? await stat(join(root, name)).catch(() => undefined) : undefined;
        if (stats !== undefined && stats.mtimeMs < beforeMs) old.push(name);
      }
      await Promise.all(old.map((name) => rm(join(root, name), { recursive: true, force: true })));
      return old;
    },
  };
}
