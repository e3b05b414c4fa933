import { readFileSync } from 'node:fs';
import { descendantsOf } from '../../processes.ts';

const LOOK_EVERY_MS = 100;

/**
 * Watches the memory of all processes that this one started.
 *
 * @returns a function that ends it and gives the most bytes that they held together; undefined where there is no /proc
 */
export function watchChildrenMemory(): () => number | undefined {
  if (process.platform !== 'linux') return () => undefined;
  let peakBytes = 0;
  const timer = setInterval(() => {
    const bytes = descendantsOf(process.pid).reduce((sum, { pid }) => sum + residentBytes(pid), 0);
    peakBytes = Math.max(peakBytes, bytes);
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return peakBytes;
  };
}

function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
