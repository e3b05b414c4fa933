import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps a second service off a data folder: two Temporal servers on one database file lose work.
 *
 * The lock names the process and its start time, so one that was left by a killed process is recognised.
 *
 * @returns what gives the folder back
 * @throws Error naming the setting and the process that holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = join(dataDir, 'in-use');
  const own = identityOf(process.pid);
  for (;;) {
    try {
      await writeFile(file, own, { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(file, 'utf8').catch(() => '');
    const pid = Number(holder.split(' ')[0]);
    if (holder !== '' && identityOf(pid) === holder) {
      throw new Error(`DATA_DIR: ${dataDir} is in use by process ${String(pid)}; stop it, or choose another folder`);
    }
    await rm(file, { force: true });
  }
}

/** Process id and start time; the id alone where the system does not tell; empty when there is no such process. */
function identityOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch {
    return '';
  }
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // Fields 3 (state) and 22 (start), counted after the name, which may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // One that was killed but not reaped by its parent keeps its id, and holds nothing any more.
    return fields[0] === 'Z' ? '' : `${String(pid)} ${fields[19] ?? ''}`;
  } catch {
    return String(pid);
  }
}
