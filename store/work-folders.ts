import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../runtime/subprocess/process-facts.ts';
import { orMissing } from './missing.ts';

export type WorkFolders = ReturnType<typeof createWorkFolders>;

/**
 * Folders are named `<record>~<host>~<process>~<random>`. A process id alone may be taken again after a crash, so its
 * start time belongs to the name.
 */
export function createWorkFolders(root: string) {
  const removeWhere = async (chosen: (recordId: string) => boolean): Promise<readonly string[]> => {
    const names = (await readdir(root).catch(orMissing)) ?? [];
    const dead: string[] = [];
    for (const name of names) {
      const [recordId = '', host, owner = ''] = name.split('~');
      const isAlive = processIdentity(Number.parseInt(owner, 10)) === owner;
      if (chosen(recordId) && host === hostname() && !isAlive) dead.push(name);
    }
    await Promise.all(dead.map((name) => rm(join(root, name), { recursive: true, force: true })));
    return dead;
  };
  return {
    /** A fresh private folder for one attempt at one record, on the file system of the file store. What dead attempts at it left behind is removed first. */
    async open(recordId: string) {
      await removeWhere((id) => id === recordId);
      const owner = processIdentity(process.pid) ?? String(process.pid);
      const path = join(root, [recordId, hostname(), owner, randomBytes(6).toString('hex')].join('~'));
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { path, remove: (): Promise<void> => rm(path, { recursive: true, force: true }) };
    },
    /** Removes what dead workers of this machine left behind. @returns the names removed */
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
