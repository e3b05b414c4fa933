import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { watchFor } from '../watch-for.ts';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Checks the size of a folder repeatedly, because RLIMIT_FSIZE limits each file but not their number.
 *
 * @param onTooLarge called once
 * @returns a function that ends the checks
 */
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
