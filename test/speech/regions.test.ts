import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findSpeech, type SpeechRegions } from '../../speech/regions.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { until } from '../helpers/until.ts';

const bench = useSpeechTools();
const GARDEN = fileURLToPath(new URL('../../local/sandbox/catalogue/media/garden/140.m4a', import.meta.url));

const find = (wavPath: string, signal = new AbortController().signal): Promise<SpeechRegions> =>
  findSpeech(wavPath, { vadModel: bench.tools.vadModel, signal, timeoutMs: 60_000, onProgress: () => undefined });
let garden: Promise<SpeechRegions> | undefined;
/** The regions of the unchanged recording. */
const findInGarden = (): Promise<SpeechRegions> => (garden ??= bench.prepare(GARDEN).then((path) => find(path)));
const spoken = ({ speech }: SpeechRegions): number =>
  speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

describe('findSpeech', () => {
  it('finds the lines of a conversation in order and within the file', async () => {
    const found = await findInGarden();
    expect(found.durationSeconds).toBeCloseTo(14, 0);
    // The four lines and the pauses within them take 12.2 s.
    expect(spoken(found)).toBeGreaterThan(9);
    expect(spoken(found)).toBeLessThan(13);
    let last = 0;
    for (const { startSeconds, endSeconds } of found.speech) {
      expect(startSeconds).toBeGreaterThanOrEqual(last);
      expect(endSeconds).toBeGreaterThan(startSeconds);
      last = endSeconds;
    }
    expect(last).toBeLessThanOrEqual(found.durationSeconds);
  });

  it.each([
    ['stereo at 48 kHz', ['-ac', '2', '-ar', '48000']],
    ['8 kHz', ['-ar', '8000']],
  ])('finds the same speech in %s', async (_, format) => {
    const original = await findInGarden();
    const other = await find(await bench.prepare(await bench.make('other.wav', '-i', GARDEN, ...format)));
    expect(other.durationSeconds).toBeCloseTo(original.durationSeconds, 1);
    expect(Math.abs(spoken(other) - spoken(original))).toBeLessThan(1.5);
  });

  it.each([
    ['silence', 'anullsrc=r=16000:cl=mono', '10'],
    ['noise', 'anoisesrc=a=0.1:seed=1:r=16000', '10'],
    [
      'music',
      'aevalsrc=0.2*sin(2*PI*262*t)+0.2*sin(2*PI*330*t)+0.2*sin(2*PI*392*t*(1+0.5*floor(mod(t\\,2)))):s=44100',
      '10',
    ],
    ['100 ms', 'sine=f=440:r=16000', '0.1'],
  ])('finds no speech in %s', async (_, source, seconds) => {
    const found = await find(
      await bench.prepare(await bench.make('made.wav', '-f', 'lavfi', '-i', source, '-t', seconds)),
    );
    expect(found.speech).toEqual([]);
    expect(found.durationSeconds).toBeCloseTo(Number(seconds), 1);
  });

  it('finds a single word', async () => {
    // The line starts with the word "Why".
    const tea = GARDEN.replace('garden', 'tea');
    const found = await find(await bench.prepare(await bench.make('word.wav', '-ss', '11.7', '-t', '0.9', '-i', tea)));
    expect(found.speech).toHaveLength(1);
  });

  it('splits speech without a pause into parts of bounded length', async () => {
    const line = await bench.make('line.wav', '-ss', '8.6', '-t', '2.6', '-i', GARDEN.replace('garden', 'tea'));
    const endless = await bench.make(
      'endless.wav',
      '-stream_loop',
      '30',
      '-i',
      line,
      '-af',
      'silenceremove=stop_periods=-1:stop_duration=0.05:stop_threshold=-40dB',
    );
    const found = await find(await bench.prepare(endless));
    // The sum differs from that without a limit only at the boundaries.
    expect(spoken(found)).toBeGreaterThan(found.durationSeconds * 0.9);
    for (const { startSeconds, endSeconds } of found.speech) expect(endSeconds - startSeconds).toBeLessThan(25);
  });

  it('rejects a file that is not prepared audio', async () => {
    const path = join(bench.folder, 'text.wav');
    await writeFile(path, 'RIFFnothing of the kind');
    await expect(find(path)).rejects.toMatchObject({ code: 'internal' });
    const stereo = await bench.make('stereo.wav', '-i', GARDEN, '-ac', '2');
    await expect(find(stereo)).rejects.toMatchObject({ code: 'internal' });
  });

  it('stops and ends its process when it is cancelled', async () => {
    // The search takes seconds.
    const long = await bench.make('long.wav', '-f', 'lavfi', '-i', 'anoisesrc=a=0.1:seed=1:r=16000', '-t', '900');
    const isRunning = (): boolean =>
      spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
        .stdout.split('\n')
        .some((line) => line.includes(long));
    const abort = new AbortController();
    const search = find(long, abort.signal);
    search.catch(() => undefined);
    await until(() => Promise.resolve(isRunning() || undefined), { what: 'the process' });
    abort.abort(new Error('cancelled by the test'));
    await expect(search).rejects.toThrow('cancelled by the test');
    await until(() => Promise.resolve(!isRunning() || undefined), { what: 'the end of the process' });
  });
});

describe('prepareWav', () => {
  it('rejects a corrupt file as incomplete', async () => {
    const path = join(bench.folder, 'corrupt.m4a');
    await writeFile(path, Buffer.alloc(50_000, 'corrupt'));
    await expect(bench.prepare(path)).rejects.toMatchObject({ code: 'incomplete' });
  });
});
