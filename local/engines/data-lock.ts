import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';

/** Two Temporal servers on one database file lose work. The start time shows whether the lock's process was killed. */
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
