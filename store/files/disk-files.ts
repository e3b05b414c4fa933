import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { optional } from '../../runtime/optional.ts';
import { sha256Of } from './checksum.ts';
import {
  fileKeyOf,
  isRecordId,
  MissingFileError,
  pathOfKey,
  type ByteRange,
  type FileEntry,
  type FileKey,
  type FileStore,
} from './file-store.ts';
import { orMissing } from './or-missing.ts';

export function createDiskFiles(root: string, pageFolders = 200): FileStore {
  const pathOf = (key: FileKey): string => join(root, pathOfKey(key));
  return {
    async check() {
      await mkdir(root, { recursive: true });
    },
    async publish(sourcePath, key, signal) {
      const target = pathOf(key);
      await mkdir(dirname(target), { recursive: true });
      const sha256 = await sha256Of(sourcePath, signal);
      const { size } = await stat(sourcePath);
      // The contents are written before the name, which must not point to an empty file after a power cut.
      await syncToDisk(sourcePath);
      signal.throwIfAborted();
      await rename(sourcePath, target);
      await syncToDisk(dirname(target));
      return { name: key.name, sizeBytes: size, sha256 };
    },
    async has(recordId, file) {
      return (await statOf(pathOf({ recordId, name: file.name })))?.size === file.sizeBytes;
    },
    async open(key) {
      const path = pathOf(key);
      const stats = await statOf(path);
      if (stats === undefined) return undefined;
      const tag = tagOf(stats);
      return {
        ...{ sizeBytes: stats.size, modifiedMs: stats.mtimeMs, tag },
        read: (range) => readVersion(path, { key, tag, range }),
      };
    },
    async localCopy(recordId, file) {
      const key = { recordId, name: file.name };
      if ((await statOf(pathOf(key)))?.size !== file.sizeBytes) throw new MissingFileError(key);
      return pathOf(key);
    },
    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      await removeEmpty(dirname(path));
    },
    async page(after = '') {
      const folders = (await list(root)).filter((name) => name > after).sort();
      const entries: FileEntry[] = [];
      for (const recordId of folders.slice(0, pageFolders)) {
        for (const name of await list(join(root, recordId))) {
          const key = fileKeyOf(`${recordId}/${name}`);
          const stats = key === undefined ? undefined : await statOf(pathOf(key));
          if (key !== undefined && stats !== undefined) entries.push({ ...key, modifiedMs: stats.mtimeMs });
        }
      }
      const next = folders.length > pageFolders ? folders[pageFolders - 1] : undefined;
      return { entries, ...optional('next', next) };
    },
    async removeLeftovers(beforeMs) {
      let removed = 0;
      for (const name of (await list(root)).filter(isRecordId)) {
        const folder = join(root, name);
        const stats = await lstat(folder).catch(orMissing);
        if (stats !== undefined && stats.mtimeMs < beforeMs && (await removeEmpty(folder))) removed += 1;
      }
      return removed;
    },
  };
}

/** A published file is only replaced by rename, so its size and time identify the version. */
function tagOf({ size, mtimeMs }: Stats): string {
  return `${size.toString(16)}-${Math.trunc(mtimeMs).toString(16)}`;
}

async function readVersion(
  path: string,
  { key, tag, range }: { key: FileKey; tag: string; range: ByteRange | undefined },
): Promise<Readable> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(orMissing);
  if (handle === undefined) throw new MissingFileError(key);
  try {
    if (tagOf(await handle.stat()) !== tag) throw new MissingFileError(key);
    return handle.createReadStream(range === undefined ? {} : { start: range.first, end: range.last });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  // Symbolic links are never published files.
  const stats = await lstat(path).catch(orMissing);
  return stats?.isFile() === true ? stats : undefined;
}

async function list(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(orMissing)) ?? [];
}

/** @returns whether the folder was empty and has been removed */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(code)) return false;
    throw error;
  }
}

export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
