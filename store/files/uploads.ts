import { FileConfigstore, FileStore } from '@tus/file-store';
import type { DataStore } from '@tus/server';
import { copyFile, link, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collectShortLived } from '../../runtime/collect-garbage.ts';
import { isRecordId, MissingFileError } from './file-store.ts';
import { orMissing } from './or-missing.ts';

/** Unfinished uploads are removed after this time. */
export const UPLOAD_KEPT_MS = 24 * 3_600_000;
/** A folder beside those of the records, so that all hosts that share published files share uploads, too. */
const FOLDER = '.uploads';

/** Received bytes after which their buffers are collected. */
const COLLECT_EVERY_BYTES = 8 * 1024 ** 2;

/** Collects the buffers of a stream from time to time, so that a process that passes on a large file keeps little of it. */
class FrugalFileStore extends FileStore {
  override write(...args: Parameters<FileStore['write']>): Promise<number> {
    let received = 0;
    args[0].on('data', ({ length }: Buffer) => {
      received += length;
      if (received < COLLECT_EVERY_BYTES) return;
      received = 0;
      collectShortLived();
    });
    return super.write(...args);
  }
}

/** The received bytes of uploads, in the store of `@tus/server`. */
export interface Uploads {
  readonly store: DataStore;
  /** @returns the ID of an upload in the store */
  readonly keyOf: (id: string) => string;
  /** @returns the path of the complete upload in the folder @throws MissingFileError */
  localCopy(id: string, folder: string, extension: string): Promise<string>;
  remove(id: string): Promise<void>;
  /** Removes uploads that began before a time, except those that a job still needs. @returns how many */
  removeOlderThan(beforeMs: number, isNeeded: (id: string) => Promise<boolean>): Promise<number>;
}

export function createDiskUploads(root: string, keptMs = UPLOAD_KEPT_MS): Uploads {
  const directory = join(root, FOLDER);
  const facts = new FileConfigstore(directory);
  const store = new FrugalFileStore({ directory, configstore: facts, expirationPeriodInMilliseconds: keptMs });
  const pathOf = (id: string): string => join(directory, id);
  const remove = async (id: string): Promise<void> => {
    if (!isRecordId(id)) return;
    await rm(pathOf(id), { force: true });
    // Without its facts, an upload does not exist for any caller.
    await rm(`${pathOf(id)}.json`, { force: true });
  };
  return {
    store,
    keyOf: (id) => id,
    remove,
    async localCopy(id, folder, extension) {
      const key = { recordId: id, name: `upload.${extension}` };
      const known = isRecordId(id) ? await facts.get(id).catch(orMissing) : undefined;
      const stored = known && (await stat(pathOf(id)).catch(orMissing));
      if (stored === undefined || stored.size !== known?.size) throw new MissingFileError(key);
      const path = join(folder, key.name);
      // Work folders may be on another file system.
      await link(pathOf(id), path).catch(() => copyFile(pathOf(id), path));
      return path;
    },
    async removeOlderThan(beforeMs, isNeeded) {
      await mkdir(directory, { recursive: true });
      let removed = 0;
      for (const id of await facts.list()) {
        const begun = Date.parse((await facts.get(id).catch(orMissing))?.creation_date ?? '');
        if (!(begun < beforeMs) || (await isNeeded(id))) continue;
        await remove(id);
        removed += 1;
      }
      return removed;
    },
  };
}
