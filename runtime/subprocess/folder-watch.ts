import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const LOOK_EVERY_MS = 1_000;

/**
 * Looks again and again how much the files of a folder hold. RLIMIT_FSIZE bounds each file, but not how many there are.
 *
 * @param onTooLarge called once
 * @returns what ends the looking
 */
export function watchFolder(folder: string, maxBytes: number, onTooLarge: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const sizeBytes = await folderBytes(folder);
    if (isOver) return;
    if (sizeBytes > maxBytes) {
      onTooLarge();
      return;
    }
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** What all files in a folder hold. Links, and what is being removed or renamed meanwhile, count as nothing. */
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
