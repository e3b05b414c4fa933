import { readdir, readFile, readlink } from 'node:fs/promises';

const LOOK_EVERY_MS = 15;

/** Watches the programs that run in a folder. Nothing is seen where the system has no /proc. */
export function watchMemory(folder: string): { readonly stop: () => Promise<number> } {
  let peakKib = 0;
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      peakKib = Math.max(peakKib, await largestIn(folder));
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  return {
    /** @returns the most memory that one of them held at a time, in MiB */
    async stop() {
      over.abort();
      await looking;
      return Math.round(peakKib / 1024);
    },
  };
}

async function largestIn(folder: string): Promise<number> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
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
