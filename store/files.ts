import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PublishedFile } from '../contract/records.ts';

/** Published files on disk: `<root>/<record id>/<name>`. A reader sees a whole file or none. */
export interface FileStore {
  /**
   * Moves a finished file to its place, atomically and durably; an older one of that name is replaced.
   *
   * @param sourcePath on the same file system as the store
   */
  publish(sourcePath: string, recordId: string, name: string): Promise<PublishedFile>;
  has(recordId: string, file: PublishedFile): Promise<boolean>;
  pathOf(recordId: string, name: string): string;
}

export function createFileStore(root: string): FileStore {
  const pathOf = (recordId: string, name: string): string => join(root, recordId, name);
  return {
    pathOf,
    async publish(sourcePath, recordId, name) {
      const target = pathOf(recordId, name);
      await mkdir(dirname(target), { recursive: true });
      const sha256 = await sha256Of(sourcePath);
      const { size } = await stat(sourcePath);
      // Contents before the name: after a power cut the name must not point at nothing.
      await sync(sourcePath);
      await rename(sourcePath, target);
      await sync(dirname(target));
      return { name, sizeBytes: size, sha256 };
    },
    async has(recordId, file) {
      try {
        return (await stat(pathOf(recordId, file.name))).size === file.sizeBytes;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    },
  };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
