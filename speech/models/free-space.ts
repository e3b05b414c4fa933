import { statfs } from 'node:fs/promises';

/** Left for the others on the disk. */
const RESERVE_BYTES = 200_000_000;

/** @throws when the disk of the folder has not as much room */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES) {
    throw new Error(`${folder} has ${megabytes(free)} free, and ${megabytes(bytes + RESERVE_BYTES)} are needed`);
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
