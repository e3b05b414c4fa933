import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';

const OWNER = 'demo.pid';

/**
 * Empties the demo's folder, which keeps the last run's file and logs until then.
 *
 * @returns takes the mark off that this process uses the folder
 * @throws when another demo runs in it
 */
export async function takeFolder(dir: string): Promise<() => Promise<void>> {
  const mark = join(dir, OWNER);
  const owner = Number(await readFile(mark, 'utf8').catch(() => ''));
  if (owner > 0 && owner !== process.pid && processIdentity(owner) !== undefined) {
    throw new Error(`another demo (process ${String(owner)}) runs in ${dir}; DATA_DIR gives this one another folder`);
  }
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(mark, String(process.pid), { flag: 'wx' });
  return () => rm(mark, { force: true });
}
