import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JobError } from '../../runtime/job-error.ts';
import { UnreadableMediaError } from '../../media/media-guard.ts';
import { createMedia, type Media } from '../../media/ffmpeg.ts';
import { readM4a } from '../../media/m4a.ts';
import { probe as probeFreely, runTool } from '../helpers/media.ts';

let folder: string;
let media: Media;
const { signal } = new AbortController();
const limits = { signal, timeoutMs: 30_000, onProgress: (): void => undefined };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const { ffmpeg, ffprobe } = inject('tools');
  media = createMedia({ ffmpeg, ffprobe, maxFileBytes: 10_000_000, maxMediaSeconds: 20, maxVideoHeight: 1080 });
  const make = (name: string, seconds: number): Promise<Buffer> =>
    runTool(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', `sine=d=${String(seconds)}`, join(folder, name)]);
  await make('secret.wav', 3);
  await make('native.m4a', 3);
  await make('long.flac', 60);
  await mkdir(join(folder, 'http:'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('writing an M4A file', () => {
  it('copies AAC without re-encoding it', async () => {
    const input = join(folder, 'native.m4a');
    const output = join(folder, 'out.m4a');
    await media.writeM4a({ path: input, audioCodec: 'aac' }, output, limits);
    const hash = (path: string): Promise<Buffer> =>
      runTool(inject('tools').ffmpeg, ['-v', 'error', '-i', path, '-c', 'copy', '-f', 'streamhash', '-']);
    expect((await hash(output)).equals(await hash(input))).toBe(true);
  });

  it('reports its progress, and stops at the limit of the duration', async () => {
    const seconds: number[] = [];
    const output = join(folder, 'cut.m4a');
    await media.writeM4a({ path: join(folder, 'long.flac'), audioCodec: 'flac' }, output, {
      ...limits,
      onProgress: (at) => seconds.push(at),
    });
    expect(seconds.length).toBeGreaterThan(0);
    expect((await probeFreely(output)).duration).toBeCloseTo(20, 0);
  });
});

describe('the index of an M4A file', () => {
  it.each([
    ['-c:a', 'aac'],
    ['-c:a', 'aac', '-ar', '22050', '-ac', '2'],
    ['-c:a', 'alac'],
  ])('says of its sound what ffprobe says (%s %s)', async (...args) => {
    const path = join(folder, 'indexed.m4a');
    const output = ['-movflags', '+faststart', '-f', 'ipod', path];
    await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', '-i', join(folder, 'long.flac'), ...args, ...output]);
    const { streams, durationSeconds } = await media.probe(path, signal);
    const read = await readM4a(path);
    expect(read?.codec).toBe(streams[0]?.codec_name === 'aac' ? 'aac' : undefined);
    // ffprobe prints microseconds.
    if (read !== undefined) expect(Math.abs(read.durationSeconds - durationSeconds)).toBeLessThan(2e-6);
  });

  it('is left to ffprobe if it is large, at the end, cut off or missing', async () => {
    const text = join(folder, 'text.m4a');
    await writeFile(text, 'no media');
    expect(await readM4a(text)).toBeUndefined();
    const atEnd = join(folder, 'at-end.m4a');
    const bare = ['-c:a', 'aac', '-b:a', '320k', '-t', '60', '-f', 'ipod', atEnd];
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=60'];
    await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...noise, ...bare]);
    expect(await readM4a(atEnd)).toBeUndefined();
    const cut = join(folder, 'cut-index.m4a');
    await writeFile(cut, (await readFile(join(folder, 'native.m4a'))).subarray(0, 100));
    expect(await readM4a(cut)).toBeUndefined();
  });
});

describe('a file with a misleading name', () => {
  it.each([
    ['a playlist', (secret: string) => `#EXTM3U\n#EXTINF:3,\nfile://${secret}\n#EXT-X-ENDLIST\n`],
    ['an ffconcat list', () => 'ffconcat version 1.0\nfile secret.wav\n'],
    ['a DASH manifest', () => '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>'],
    ['a web page', () => '<html><body>no media</body></html>'],
    ['empty', () => ''],
  ])('but %s is refused, and opens no neighbour', async (name, text) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.m4a`);
    await writeFile(path, text(join(folder, 'secret.wav')));
    await expect(media.probe(path, signal)).rejects.toMatchObject({ code: 'incomplete' });
    await expect(media.writeM4a({ path, audioCodec: 'pcm' }, join(folder, 'never.m4a'), limits)).rejects.toBeInstanceOf(
      JobError,
    );
  });

  it('fails with the name of the setting if a tool is missing', async () => {
    const broken = createMedia({
      ffmpeg: '/no/ffmpeg',
      ffprobe: '/no/ffprobe',
      maxFileBytes: 1,
      maxMediaSeconds: 1,
      maxVideoHeight: 1080,
    });
    await expect(broken.probe(join(folder, 'native.m4a'), signal)).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringContaining('FFPROBE_PATH'),
    });
  });

  it('fails to read the times of pictures when ffmpeg fails', async () => {
    const limits = { signal, timeoutMs: 10_000 };
    await expect(media.picturesEnd(join(folder, 'native.m4a'), limits)).rejects.toThrow(UnreadableMediaError);
  });

  it('fails with the name of the setting if a filter for pictures of high dynamic range is missing', async () => {
    const ffmpeg = join(folder, 'ffmpeg-without-filter');
    await writeFile(ffmpeg, `#!/bin/bash\nexec ${inject('tools').ffmpeg} "\${@//zscale/missing}"\n`, { mode: 0o755 });
    const { ffprobe } = inject('tools');
    const without = createMedia({ ffmpeg, ffprobe, maxFileBytes: 1e6, maxMediaSeconds: 9, maxVideoHeight: 1080 });
    const path = join(folder, 'high-range.mp4');
    const hdr = 'format=yuv420p10le,setparams=color_trc=smpte2084';
    const source = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=d=1:s=64x64:r=5', '-vf', hdr, '-c:v', 'libx264', path];
    await runTool(inject('tools').ffmpeg, source);
    const pictures = { path, probe: await without.probe(path, signal) };
    await expect(
      without.write({ container: 'mp4', pictures, sound: undefined }, `${path}.out`, limits),
    ).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringMatching(/filter missing.*FFMPEG_PATH/) as string,
    });
  });
});
