import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ulidSchema } from '../../contract/ids.ts';
import { isRecordId } from './file-store.ts';
import { orMissing } from '../records/or-missing.ts';

/**
 * The audio of transcriptions that run, on this machine: `<root>/<record id>/`, in it `audio.wav` where it was prepared, and
 * `source` where only windows were cut out of what another machine had prepared.
 */
export type SpeechAudio = ReturnType<typeof createSpeechAudio>;

export function createSpeechAudio(root: string) {
  const folderOf = (recordId: string): string => join(root, ulidSchema.parse(recordId));
  return {
    /**
     * @param make writes the file to the path that it is given, and answers a note on it; not called when the file is there
     * already
     * @returns absolute path of the file, which is whole, and the note
     */
    async ensure(
      recordId: string,
      make: (path: string) => Promise<string>,
    ): Promise<{ readonly path: string; readonly note: string | undefined }> {
      const folder = folderOf(recordId);
      const [path, notePath] = [join(folder, 'audio.wav'), join(folder, 'note')];
      if ((await stat(path).catch(orMissing)) !== undefined) {
        return { path, note: await readFile(notePath, 'utf8').catch(orMissing) };
      }
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Two windows may come here at once, and a worker may die while it writes: whole files only have that name.
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
    /** @returns the path of what was prepared on this machine */
    async find(recordId: string): Promise<string | undefined> {
      const path = join(folderOf(recordId), 'audio.wav');
      return (await stat(path).catch(orMissing)) === undefined ? undefined : path;
    },
    /**
     * @param copy puts the published file, or finds it: told a folder, it answers a path. A copy in that folder is kept for
     * the next window
     * @returns absolute path of the published file
     */
    async source(recordId: string, copy: (folder: string) => Promise<string>): Promise<string> {
      const path = join(folderOf(recordId), 'source');
      if ((await stat(path).catch(orMissing)) !== undefined) return path;
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
    /** Records whose audio is on this machine. */
    async list(): Promise<readonly string[]> {
      return ((await readdir(root).catch(orMissing)) ?? []).filter(isRecordId);
    },
  };
}
