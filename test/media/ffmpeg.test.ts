import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JobError } from '../../runtime/job-error.ts';
import { createMedia, type Media } from '../../media/ffmpeg.ts';
import { probe as probeFreely, runTool } from '../helpers/media.ts';

let folder: string;
let media: Media;
const { signal } = new AbortController();
const limits = { signal, timeoutMs: 30_000, onProgress: (): void => undefined };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const { ffmpeg, ffprobe } = inject('tools');
  media = createMedia({ ffmpeg, ffprobe, maxFileBytes: 10_000_000, maxMediaSeconds: 20 });
  const make = (name: string, seconds: number): Promise<Buffer> =>
    runTool(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', `sine=d=${String(seconds)}`, join(folder, name)]);
  await make('secret.wav', 3);
  await make('native.m4a', 3);
  await make('long.flac', 60);
  await mkdir(join(folder, 'http:'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('making an M4A', () => {
  it('copies AAC without encoding it again', async () => {
    const input = join(folder, 'native.m4a');
    const output = join(folder, 'out.m4a');
    await media.writeM4a({ path: input, audioCodec: 'aac' }, output, limits);
    const hash = (path: string): Promise<Buffer> =>
      runTool(inject('tools').ffmpeg, ['-v', 'error', '-i', path, '-c', 'copy', '-f', 'streamhash', '-']);
    expect((await hash(output)).equals(await hash(input))).toBe(true);
  });

  it('reports how far it is, and stops at the limit of decoded time', async () => {
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

describe('a file that is not what its name says', () => {
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

  it('names the setting when a tool is missing', async () => {
    const broken = createMedia({ ffmpeg: '/no/ffmpeg', ffprobe: '/no/ffprobe', maxFileBytes: 1, maxMediaSeconds: 1 });
    await expect(broken.probe(join(folder, 'native.m4a'), signal)).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringContaining('FFPROBE_PATH'),
    });
  });
});
