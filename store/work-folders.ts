import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** One attempt's private folder, on the file system of the file store. */
export interface WorkFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export interface WorkFolders {
  /** A fresh folder for one attempt at one record. What dead attempts at it left behind is removed first. */
  open(recordId: string): Promise<WorkFolder>;
  /** Removes what dead workers of this machine left behind. @returns the names removed */
  removeAbandoned(): Promise<readonly string[]>;
}

/**
 * Folders are named `<record>~<host>~<process>~<start>~<random>`. A process id alone may be taken again after a crash;
 * with its start time it is unique.
 */
export function createWorkFolders(root: string): WorkFolders {
  const removeWhere = async (chosen: (recordId: string) => boolean): Promise<readonly string[]> => {
    const names = await list(root);
    const dead: string[] = [];
    for (const name of names) {
      const [recordId = '', host, pid = '', start] = name.split('~');
      if (chosen(recordId) && host === hostname() && (await startOf(pid)) !== start) dead.push(name);
    }
    await Promise.all(dead.map((name) => rm(join(root, name), { recursive: true, force: true })));
    return dead;
  };
  return {
    async open(recordId) {
      await removeWhere((id) => id === recordId);
      const pid = String(process.pid);
      const start = (await startOf(pid)) ?? '';
      const path = join(root, [recordId, hostname(), pid, start, randomBytes(6).toString('hex')].join('~'));
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },
    removeAbandoned: () => removeWhere(() => true),
  };
}

async function list(root: string): Promise<readonly string[]> {
  try {
    return await readdir(root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns when the process started, in the system's own unit; `alive` where the system does not tell; undefined when it is gone */
async function startOf(pid: string): Promise<string | undefined> {
  if (!/^\d+$/.test(pid)) return undefined;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Fields 3 (state) and 22 (start); the name in field 2 may hold spaces and parentheses, so count after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Killed but not reaped yet: dead all the same.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
    try {
      process.kill(Number(pid), 0);
      return 'alive';
    } catch {
      return undefined;
    }
  }
}
