import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { orMissing } from './missing.ts';

/** The prepared audio of transcriptions that run, on this machine: `<root>/<record id>/audio.wav`. */
export type SpeechAudio = ReturnType<typeof createSpeechAudio>;

export function createSpeechAudio(root: string) {
  return {
    /**
     * @param make writes the file to the path that it is given; not called when the file is there already. On another
     * machine of the same job it is made there too
     * @returns absolute path of the file, which is whole
     */
    async ensure(recordId: string, make: (path: string) => Promise<void>): Promise<string> {
      const folder = join(root, recordId);
      const path = join(folder, 'audio.wav');
      if ((await stat(path).catch(orMissing)) !== undefined) return path;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Two windows may come here at once, and a worker may die while it writes: whole files only have that name.
      const part = join(folder, `part-${randomBytes(6).toString('hex')}.wav`);
      try {
        await make(part);
        await rename(part, path);
      } finally {
        await rm(part, { force: true });
      }
      return path;
    },
    remove: (recordId: string): Promise<void> => rm(join(root, recordId), { recursive: true, force: true }),
    /** Records whose audio is on this machine. */
    async list(): Promise<readonly string[]> {
      await mkdir(root, { recursive: true });
      return readdir(root);
    },
  };
}
