import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ulidSchema } from '../../contract/ids.ts';
import { isRecordId } from './file-store.ts';
import { orMissing } from './or-missing.ts';

/** A folder has `audio.wav` if it was prepared here, or `source` if this machine only reads windows of it. */
export type SpeechAudio = ReturnType<typeof createSpeechAudio>;

export function createSpeechAudio(root: string) {
  const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(orMissing)) !== undefined;
  const folderOf = (recordId: string): string => join(root, ulidSchema.parse(recordId));
  return {
    /** @param make writes the file to the given path and returns a note on it; not called when the file exists */
    async ensure(
      recordId: string,
      make: (path: string) => Promise<string>,
    ): Promise<{ readonly path: string; readonly note: string | undefined }> {
      const folder = folderOf(recordId);
      const [path, notePath] = [join(folder, 'audio.wav'), join(folder, 'note')];
      if (await isThere(path)) return { path, note: await readFile(notePath, 'utf8').catch(orMissing) };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Only a complete file gets the name, since two windows may run this at once, and a worker may die while it writes.
      const part = join(folder, `part-${randomBytes(6).toString('hex')}.wav`);
      try {
        const note = await make(part);
        await writeFile(notePath, note);
        await rename(part, path);
        return { path, note };
      } finally {
        await rm(part, { force: true });
      }
    },
    async find(recordId: string): Promise<string | undefined> {
      const path = join(folderOf(recordId), 'audio.wav');
      return (await isThere(path)) ? path : undefined;
    },
    /** @param copy returns the path of the published file, or of a copy in the given folder, which is kept */
    async source(recordId: string, copy: (folder: string) => Promise<string>): Promise<string> {
      const path = join(folderOf(recordId), 'source');
      if (await isThere(path)) return path;
      const folder = join(folderOf(recordId), `part-${randomBytes(6).toString('hex')}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const copied = await copy(folder);
        if (dirname(copied) !== folder) return copied;
        await rename(copied, path);
        return path;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    remove: async (recordId: string): Promise<void> => rm(folderOf(recordId), { recursive: true, force: true }),
    async list(): Promise<readonly string[]> {
      return ((await readdir(root).catch(orMissing)) ?? []).filter(isRecordId);
    },
  };
}
