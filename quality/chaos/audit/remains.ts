import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { processIdentity } from '../../../runtime/subprocess/process-facts.ts';
import { processesAt, type RunningProcess } from '../../processes.ts';
import type { Finding } from './evidence.ts';

/** Below DATA_DIR: must be empty when nothing runs. */
const WORK_FOLDERS = ['work', 'speech', 'speech-work'];

/** Finds what is left after everything was stopped. @param seen all processes that the run ever started */
export async function auditRemains(
  dataDir: string,
  seen: ReadonlyMap<string, RunningProcess>,
): Promise<readonly Finding[]> {
  const running = [...seen.values()].filter(({ pid, identity }) => processIdentity(pid) === identity);
  const left = new Map([...running, ...processesAt(dataDir)].map((one) => [one.identity, one]));
  const work = await Promise.all(WORK_FOLDERS.map((name) => filesBelow(join(dataDir, 'service', name))));
  const parts = (await filesBelow(dataDir)).filter((path) => path.endsWith('.part'));
  return [
    { column: 'processes left', ids: [...left.values()].map(({ pid, command }) => `${String(pid)} ${command}`) },
    { column: 'temporary files left', ids: [...new Set([...work.flat(), ...parts])] },
  ];
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names.map((name) => join(folder, name));
}
