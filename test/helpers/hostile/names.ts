import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createMedia, type Media } from '../../../media/ffmpeg.ts';
import { codecOf } from '../../../media/probe.ts';
import { runTool } from '../media.ts';

const { signal } = new AbortController();
const limits = { signal, timeoutMs: 25_000, onProgress: (): void => undefined };

/** That a file is read whatever it is called, and its name is nothing but a name. */
export function namesAreOnlyNames(names: readonly string[]): void {
  describe('a name that looks like something else', () => {
    let root: string;
    let media: Media;
    /** Three seconds of a tone. */
    let honest: Buffer;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'tapedeck-names-'));
      const { ffmpeg, ffprobe } = inject('tools');
      media = createMedia({ ffmpeg, ffprobe, maxFileBytes: 30_000_000, maxMediaSeconds: 20, maxVideoHeight: 1080 });
      const tone = join(root, 'tone.m4a');
      await runTool(ffmpeg, [...'-v error -y -f lavfi -i sine=d=3 -c:a aac'.split(' '), tone]);
      honest = await readFile(tone);
    });
    afterAll(() => rm(root, { recursive: true, force: true }));

    it.each(names)('is only a name: %j', async (name) => {
      const folder = await mkdtemp(join(root, 'names-'));
      const path = join(folder, name);
      await writeFile(path, honest);
      const probe = await media.probe(path, signal);
      expect(codecOf(probe, 'audio')).toBe('aac');
      await media.writeM4a({ path, audioCodec: 'aac' }, join(folder, 'out.m4a'), limits);
      expect((await readdir(folder)).sort()).toEqual(['out.m4a', name].sort());
    });
  });
}
