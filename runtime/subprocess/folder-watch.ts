import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const CHECK_INTERVAL_MS = 1_000;

/** Checks the size of a folder, because RLIMIT_FSIZE limits each file but not their number. @returns how to end the checks */
export function watchFolder(folder: string, maxBytes: number, onTooLarge: () => void): () => void {
  return watchFor(CHECK_INTERVAL_MS, async () => ((await folderBytes(folder)) > maxBytes ? onTooLarge : undefined));
}

/** @returns the size of all files in a folder, without links and files that are removed or renamed meanwhile */
export async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Looks for something, with a pause before each look, until it is found. The timer keeps no process alive.
 *
 * @param look returns what to do once it is found; undefined otherwise @returns how to end the looks
 */
export function watchFor(everyMs: number, look: () => Promise<(() => void) | undefined>): () => void {
  const timer = setTimeout(() => {
    void look().then((onFound) => {
      if (isOver) return;
      if (onFound === undefined) timer.refresh();
      else onFound();
    });
  }, everyMs).unref();
  let isOver = false;
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
