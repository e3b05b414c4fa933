import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';

/**
 * Keeps a second service off a data folder: two Temporal servers on one database file lose work.
 *
 * The lock names the process and its start time, so one that was left by a killed process is recognised.
 *
 * @param name of the lock's file
 * @returns what gives the folder back
 * @throws Error naming the setting and the process that holds it
 */
export async function lockDataDir(dataDir: string, name = 'in-use'): Promise<() => Promise<void>> {
  const file = join(dataDir, name);
  const own = processIdentity(process.pid) ?? String(process.pid);
  for (;;) {
    try {
      await writeFile(file, own, { flag: 'wx', mode: 0o600 });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(file, 'utf8').catch(() => '');
    const pid = Number(holder.split('-')[0]);
    if (holder !== '' && processIdentity(pid) === holder) {
      throw new Error(`DATA_DIR: ${dataDir} is in use by process ${String(pid)}; stop it, or choose another folder`);
    }
    await rm(file, { force: true });
  }
}
