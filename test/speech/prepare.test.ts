import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cutWindow, prepareWav, type ChannelSelection } from '../../speech/prepare.ts';
import { readWavLayout } from '../../speech/wav.ts';
import { runTool } from '../helpers/media.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-prepare-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @param channels expressions for ffmpeg's aevalsrc; `t` is the time in seconds */
async function encode(channels: string, seconds: number): Promise<string> {
  const path = join(folder, `${String(Math.random()).slice(2)}.m4a`);
  const source = `aevalsrc=${channels.replaceAll(',', '\\,')}:d=${String(seconds)}:s=44100`;
  await runTool(inject('tools').ffmpeg, [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    source,
    '-c:a',
    'aac',
    '-b:a',
    '192k',
    // The decoder would fill bands with noise that is different each time.
    '-aac_pns',
    '0',
    path,
  ]);
  return path;
}

async function prepare(input: string): Promise<{ path: string; taken: ChannelSelection }> {
  const path = `${input}.wav`;
  const taken = await prepareWav(input, path, {
    ...{ ffmpeg: inject('tools').ffmpeg, signal: new AbortController().signal },
    ...{ timeoutMs: 60_000, maxSeconds: 60 },
  });
  return { path, taken };
}

/** The level of each second, where 1 is full scale. */
async function levelsOf(path: string): Promise<number[]> {
  const { offsetBytes, lengthBytes, durationSeconds } = await readWavLayout(path);
  const bytes = (await readFile(path)).subarray(offsetBytes, offsetBytes + lengthBytes);
  return Array.from({ length: Math.round(durationSeconds) }, (_, second) => {
    let sum = 0;
    for (let i = second * 16_000; i < (second + 1) * 16_000 && i * 2 < bytes.length; i += 1) {
      sum += (bytes.readInt16LE(i * 2) / 32_768) ** 2;
    }
    return Math.sqrt(sum / 16_000);
  });
}

const A = '0.4*sin(440*2*PI*t)';
const B = '0.4*sin(1000*2*PI*t)';
/** The level of a sine with an amplitude of 0.4. */
const WHOLE = 0.4 / Math.SQRT2;

describe('prepareWav', () => {
  it.each([
    ['is inverted in one channel', `${A}|-${A}`, WHOLE],
    ['is inverted in one channel and quieter there', `0.5*${A}|-${A}`, WHOLE],
    ['is the same in both channels', `${A}|${A}`, WHOLE],
    ['has one channel', A, WHOLE],
    ['differs in both channels', `${A}|${B}`, WHOLE / Math.SQRT2],
  ])('keeps audio that %s', async (_what, channels, expected) => {
    const { path } = await prepare(await encode(channels, 4));
    for (const level of await levelsOf(path)) expect(level / expected).toBeCloseTo(1, 1);
  });

  it('mixes two speakers who have a channel each', async () => {
    const { path } = await prepare(await encode(`${A}*lt(t,2)|${B}*gte(t,2)`, 4));
    for (const level of await levelsOf(path)) expect(level / (WHOLE / 2)).toBeCloseTo(1, 1);
  });

  it('keeps a channel that is inverted only after the beginning', async () => {
    const { path } = await prepare(await encode(`${A}|${A}*if(lt(t,2),1,-1)`, 8));
    for (const level of await levelsOf(path)) expect(level / WHOLE).toBeCloseTo(1, 1);
  });

  it('mixes channels that cancel each other only for a moment', async () => {
    const input = await encode(`${A}|${A}*if(lt(t,6),1,-1)`, 8);
    const { path } = await prepare(input);
    const levels = await levelsOf(path);
    for (const level of levels.slice(0, 5)) expect(level / WHOLE).toBeCloseTo(1, 1);
    expect(levels.at(-1)).toBeLessThan(WHOLE / 10);
  });

  it('keeps the time line of the file: a late start and a gap are silence', async () => {
    const path = join(folder, 'gap.m4a');
    const gap = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'sine=d=12', '-af', "aselect='not(between(t,6,9))'"];
    const pictures = ['-f', 'lavfi', '-i', 'color=s=16x16:r=5:d=14', '-map', '0', '-map', '1'];
    await runTool(inject('tools').ffmpeg, ['-v', 'error', ...pictures.slice(0, 4), ...gap, ...pictures.slice(4), path]);
    const levels = await levelsOf((await prepare(path)).path);
    expect(levels.map((level) => level > 0.02)).toEqual(
      Array.from({ length: 14 }, (_, second) => second >= 2 && (second < 6 || second >= 9)),
    );
  });

  it('returns silence for silent channels', async () => {
    const { path } = await prepare(await encode('0|0', 3));
    expect(await levelsOf(path)).toEqual([0, 0, 0]);
  });
});

describe('cutWindow', () => {
  /** Returns the samples between two times in seconds, from -1 to 1. */
  const samplesOf = async (path: string, startSeconds: number, endSeconds: number): Promise<number[]> => {
    const { offsetBytes } = await readWavLayout(path);
    const bytes = await readFile(path);
    const from = Math.round(startSeconds * 16_000);
    return Array.from(
      { length: Math.round(endSeconds * 16_000) - from },
      (_, index) => bytes.readInt16LE(offsetBytes + (from + index) * 2) / 32_768,
    );
  };
  /** The sound is different at each time. */
  const chirp = '0.3*sin(2*PI*(200*t+40*t*t))';

  it.each([
    ['in the middle', 12.345, 17.89, `${chirp}|${A}`],
    ['at the beginning', 0.25, 3, `${chirp}|${A}`],
    ['until the end', 23.456, 30, chirp],
    ['of a single channel', 12.345, 17.89, `${chirp}|-${chirp}`],
  ])(
    'writes the samples of the whole audio at their offsets: %s',
    async (_where, startSeconds, endSeconds, channels) => {
      const input = await encode(channels, 30);
      const { path: whole, taken } = await prepare(input);
      const window = `${input}.window.wav`;
      const tool = { ffmpeg: inject('tools').ffmpeg, signal: new AbortController().signal, timeoutMs: 60_000 };
      await cutWindow(input, window, { startSeconds, endSeconds, taken, ...tool });
      const [expected, found] = await Promise.all(
        [whole, window].map((path) => samplesOf(path, startSeconds, endSeconds)),
      );
      expect(Math.max(...expected!)).toBeGreaterThan(0.1);
      expect(Math.max(...expected!.map((sample, index) => Math.abs(sample - found![index]!)))).toBeLessThan(0.001);
      // The hole before the part occupies no disk space.
      const { blocks } = await stat(window);
      expect(blocks * 512).toBeLessThan((endSeconds - startSeconds + 4) * 32_000 + 65_536);
    },
  );
});
