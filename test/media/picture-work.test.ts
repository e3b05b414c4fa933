import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { timeForMs } from '../../media/convert.ts';
import { createMedia, maxPixels } from '../../media/ffmpeg.ts';
import { codecOf } from '../../media/probe.ts';
import { runTool } from '../helpers/media.ts';

const { signal } = new AbortController();
const limits = { signal, timeoutMs: 60_000, onProgress: (): void => undefined };
const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-pictures-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ffmpeg = (...args: readonly string[]) => runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...args]);

/** @returns a file of black pictures, ten times as many as `tens`. To copy them takes seconds, where to make them takes an hour */
async function pictures(
  name: string,
  { size, codec, tens = 1 }: { size: string; codec: readonly string[]; tens?: number },
) {
  const [few, path] = [join(folder, `few-${name}`), join(folder, name)];
  await ffmpeg('-f', 'lavfi', '-i', `color=s=${size}:r=30`, '-frames:v', '10', ...codec, few);
  await ffmpeg('-stream_loop', String(tens - 1), '-i', few, '-c', 'copy', path);
  return path;
}

/** @returns `made`, or the failure */
async function convert(path: string, maxVideoHeight = 1080): Promise<unknown> {
  const { ffmpeg: program, ffprobe } = inject('tools');
  const files = { maxFileBytes: 30_000_000, maxMediaSeconds: 36_000 };
  const media = createMedia({ ffmpeg: program, ffprobe, ...files, maxVideoHeight });
  const probe = await media.probe(path, signal);
  const output = join(folder, 'out.mp4');
  return media.write({ container: 'mp4', pictures: { path, probe }, sound: undefined }, output, limits).then(
    async () => (codecOf(await media.probe(output, signal), 'video') === 'h264' ? 'made' : 'something else'),
    (error: unknown) => error,
  );
}

const refusal = (message: string | RegExp): object =>
  expect.objectContaining({ code: 'too_large', message: expect.stringMatching(message) as unknown }) as object;
const TOO_MUCH = 'more work than this service spends';

describe('a small file with much video', () => {
  it('is not converted if it has too many frames, however small they are', async () => {
    const path = await pictures('many.webm', { size: '640x16', codec: VP8, tens: 1_000 });
    expect((await stat(path)).size).toBeLessThan(1_000_000);
    expect(10_000 * 640 * 16).toBeGreaterThan(maxPixels(16));
    expect(await convert(path, 16)).toEqual(refusal(TOO_MUCH));
  });

  it('is refused if it is too tall, even if it would be copied', async () => {
    const tall = /^The pictures of the video are 2160 pixels tall; this service accepts 1080\.$/;
    for (const [name, codec] of [
      ['tall.webm', VP8],
      ['tall.mp4', H264],
    ] as const) {
      expect(await convert(await pictures(name, { size: '3840x2160', codec }))).toEqual(refusal(tall));
    }
  });

  it.each([
    ['few frames', 240, { size: '320x240', codec: VP8 }],
    ['the accepted height, upright', 1080, { size: '1080x1920', codec: VP8 }],
    ['any number of H.264 frames, which are copied', 16, { size: '640x16', codec: H264, tens: 1_000 }],
  ])('is converted if it has %s', async (_name, maxVideoHeight, kind) => {
    const name = `ordinary.${kind.codec === H264 ? 'mp4' : 'webm'}`;
    expect(await convert(await pictures(name, kind), maxVideoHeight)).toBe('made');
  });

  it('has its frames counted, so that a false frame rate does no harm', async () => {
    const path = join(folder, 'rate.webm');
    const input = ['-f', 'lavfi', '-i', 'color=s=320x240:r=30', '-frames:v', '10'];
    await ffmpeg(...input, ...VP8, '-vf', 'settb=1/90000,setpts=N', '-r', '90000', path);
    expect(await convert(path, 240)).toBe('made');
  });

  it('that becomes taller midway is converted or fails', async () => {
    const paths = [
      await pictures('small.webm', { size: '64x64', codec: VP8 }),
      await pictures('large.webm', { size: '1920x1080', codec: VP8 }),
    ];
    const path = join(folder, 'growing.webm');
    await ffmpeg('-i', `concat:${paths.join('|')}`, '-c', 'copy', path).catch(() => undefined);
    expect(['made', expect.objectContaining({ name: 'JobError' })]).toContainEqual(await convert(path));
  });

  it('has a time limit that fits: minutes for a song, and hours only for hours of video', () => {
    expect(timeForMs({ bytes: 5_000_000 }) / 60_000).toBeLessThan(3);
    expect(timeForMs({ pixels: maxPixels(1080) }) / 3_600_000).toBeGreaterThan(4);
  });
});
