import { randomFillSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { copyShortM4a } from '../../media/m4a.ts';
import { decode, probe, runTool } from '../helpers/media.ts';

const FRAGMENTED = ['-movflags', '+dash+frag_keyframe+empty_moov', '-f', 'mp4'];
const { signal } = new AbortController();
const limits = { signal, maxSeconds: 60, statedSeconds: undefined };

let folder: string;
let honest: Buffer;
let source: string;
let output: string;

async function make(...args: readonly string[]): Promise<Buffer> {
  await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...args, source]);
  return readFile(source);
}
const tone = (...args: readonly string[]) => make('-f', 'lavfi', '-i', 'sine=d=9', '-c:a', 'aac', ...args);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-copy-'));
  source = join(folder, 'source.m4a');
  output = join(folder, 'output.m4a');
  honest = await tone(...FRAGMENTED);
});
beforeEach(async () => {
  await rm(output, { force: true });
  await writeFile(source, honest);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('copying a short M4A without ffmpeg', () => {
  it('keeps the sound, its duration and the index at the front', async () => {
    const seconds = await copyShortM4a(source, output, { ...limits, statedSeconds: 9 });
    const hash = (path: string) =>
      runTool(inject('tools').ffmpeg, ['-v', 'error', '-i', path, '-c', 'copy', '-f', 'streamhash', '-']);
    expect((await hash(output)).equals(await hash(source))).toBe(true);
    const { duration, streams } = await probe(output);
    expect(seconds).toBeCloseTo(duration, 3);
    expect(streams).toMatchObject([{ codec_name: 'aac' }]);
    const bytes = await readFile(output);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    expect(bytes.subarray(4, 12).toString()).toBe('ftypM4A ');
    expect((await decode(output)).length / 16_000).toBeCloseTo(9, 0);
  });

  it.each([
    ['stereo', ['-ac', '2']],
    ['silence', ['-af', 'volume=0']],
    ['another rate', ['-ar', '22050']],
  ])('takes %s', async (_name, args) => {
    await tone(...args, ...FRAGMENTED);
    expect(await copyShortM4a(source, output, limits)).toBeCloseTo(9, 0);
  });

  const damaged = (change: (bytes: Buffer) => Buffer): Buffer => change(Buffer.from(honest));
  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['zeros among the sound', () => damaged((bytes) => bytes.fill(0, 30_000, 36_000))],
    ['noise among the sound', () => damaged((bytes) => randomFillSync(bytes, 30_000, 6_000))],
    ['a gap', () => tone('-af', "aselect='not(between(t,3,5))'", ...FRAGMENTED)],
    ['a late start', () => make(...'-itsoffset 2 -f lavfi -i sine=d=9 -c:a aac'.split(' '))],
    ['two tracks', () => make(...'-f lavfi -i sine=d=9 -map 0 -map 0 -c:a aac'.split(' '), ...FRAGMENTED)],
    ['another codec', () => make(...'-f lavfi -i sine=d=9 -c:a alac'.split(' '))],
    ['no media', () => Buffer.from('no media')],
    ['no bytes', () => Buffer.alloc(0)],
    ['billions of frames without sizes', () => damaged(withBillions)],
    ['a box that states billions of frames', () => Buffer.concat([honest, Buffer.from('stz2')])],
  ])('leaves a file with %s to ffmpeg', async (_name, bytes) => {
    await writeFile(source, await bytes());
    expect(await copyShortM4a(source, output, limits)).toBeUndefined();
    expect(await readdir(folder)).not.toContain('output.m4a');
  });

  it.each([
    ['is shorter than its page states', { statedSeconds: 12 }],
    ['is longer than permitted', { maxSeconds: 5 }],
  ])('leaves a file that %s to ffmpeg', async (_name, options) => {
    expect(await copyShortM4a(source, output, { ...limits, ...options })).toBeUndefined();
  });

  it('stops when the job is cancelled', async () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(copyShortM4a(source, output, { ...limits, signal: cancelled })).rejects.toThrow('cancelled');
  });
});

/** All frames of the first fragment have one size, and there are four billion of them. */
function withBillions(bytes: Buffer): Buffer {
  const at = bytes.indexOf('trun');
  bytes.writeUInt32BE(0, at + 4);
  bytes.writeUInt32BE(0xffff_ffff, at + 8);
  return bytes;
}
