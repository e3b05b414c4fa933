import { readdirSync, readFileSync } from 'node:fs';
import { processFacts } from '../../../runtime/subprocess/process-facts.ts';

const LOOK_EVERY_MS = 100;

/**
 * Watches the memory of all processes that this one started.
 *
 * @returns a function that ends it and gives the most bytes that they held together; undefined where there is no /proc
 */
export function watchChildrenMemory(): () => number | undefined {
  let peakBytes: number | undefined;
  const timer = setInterval(() => {
    const bytes = childrenBytes();
    if (bytes !== undefined) peakBytes = Math.max(peakBytes ?? 0, bytes);
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return peakBytes;
  };
}

function childrenBytes(): number | undefined {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  const parents = new Map(pids.map((pid) => [pid, processFacts(pid)?.parentId]));
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === String(process.pid) || (pid !== '0' && isOurs(parents.get(pid))));
  return pids
    .filter((pid) => pid !== String(process.pid) && isOurs(pid))
    .reduce((sum, pid) => sum + residentBytes(pid), 0);
}

function residentBytes(pid: string): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
