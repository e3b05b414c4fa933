import { readdirSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';

const LOOK_EVERY_MS = 15;

export interface MemoryWatch {
  /** @returns the most memory that one of them held at a time until now, in MiB */
  readonly peakMib: () => number;
  /** @returns the same, of the whole time */
  readonly stop: () => Promise<number>;
}

/** Whether the system tells the memory of programs: others see 0. */
export const SEES_MEMORY = process.platform === 'linux';

/** Watches the programs that start in a folder from now on: to look at all that a machine runs would be most of the work. */
export function watchMemory(folder: string): MemoryWatch {
  let peakKib = 0;
  const others: ReadonlySet<string> = new Set(SEES_MEMORY ? readdirSync('/proc') : []);
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      peakKib = Math.max(peakKib, await largestIn(folder, others));
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  const peakMib = (): number => Math.round(peakKib / 1024);
  return {
    peakMib,
    async stop() {
      over.abort();
      await looking;
      return peakMib();
    },
  };
}

async function largestIn(folder: string, others: ReadonlySet<string>): Promise<number> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name) && !others.has(name));
  const peaks = await Promise.all(
    ids.map(async (id) => {
      const where = await readlink(`/proc/${id}/cwd`).catch(() => '');
      if (!where.startsWith(folder)) return 0;
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    }),
  );
  return Math.max(0, ...peaks);
}
