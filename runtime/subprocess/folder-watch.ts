import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Checks the size of a folder repeatedly, because RLIMIT_FSIZE limits each file but not their number.
 *
 * @param onTooLarge called once
 * @returns a function that ends the checks
 */
export function watchFolder(folder: string, maxBytes: number, onTooLarge: () => void): () => void {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    const sizeBytes = await folderBytes(folder);
    if (isEnded) return;
    if (sizeBytes > maxBytes) {
      onTooLarge();
      return;
    }
    timer = setTimeout(() => void check(), CHECK_INTERVAL_MS);
  };
  timer = setTimeout(() => void check(), CHECK_INTERVAL_MS);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
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
