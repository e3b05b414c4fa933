import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { transcribe, type Transcript } from '../../quality/bench/eval/transcribe.ts';
import type { SpeechEngine } from '../../speech/speech-engine.ts';
import { rows } from '../helpers/rows.ts';
import { useSpeechTools, voicesOf, whisperOf } from '../helpers/speech-tools.ts';

const bench = useSpeechTools();
const media = (folder: string): string =>
  fileURLToPath(new URL(`../../local/sandbox/catalogue/media/${folder}/140.m4a`, import.meta.url));
const TIMEOUT_MS = 120_000;

let voices: SpeechEngine;
let whisper: SpeechEngine;
beforeAll(async () => {
  voices = await voicesOf(bench);
  whisper = whisperOf(bench, voices);
});
afterAll(() => whisper.close?.());

/** Transcribes a file. Words take most of the time, so they are optional. */
const hear = (path: string, words = false): Promise<Transcript> => {
  const { vadModel } = bench.tools;
  const tools = {
    ffmpeg: inject('tools').ffmpeg,
    vadModel,
    engine: words ? whisper : voices,
    workFolder: bench.folder,
  };
  return transcribe(path, tools, () => undefined);
};
const speakersOf = ({ voiceSegments }: Transcript): number[] => voiceSegments.map(({ speaker }) => speaker);

const TELEPHONE = ['-af', 'highpass=300,lowpass=3400', '-ar', '8000', '-c:a', 'pcm_mulaw'] as const;

describe('a conversation', { timeout: TIMEOUT_MS }, () => {
  it.each(
    rows<readonly [string, string, readonly string[]]>(
      [],
      [
        ['a telephone line', 'telephone.wav', TELEPHONE],
        ['5.1 channels', 'surround.flac', ['-af', 'pan=5.1|FC=c0', '-ar', '48000']],
        ['stereo at 48 kHz', 'stereo.wav', ['-ac', '2', '-ar', '48000']],
        ['24 bits at 44.1 kHz', 'deep.wav', ['-ar', '44100', '-c:a', 'pcm_s24le']],
        ['Opus at 16 kbit/s', 'small.ogg', ['-c:a', 'libopus', '-b:a', '16k']],
        ['a low volume', 'soft.wav', ['-af', 'volume=-30dB']],
      ],
    ),
  )('has two speakers in %s', async (_, name, format) => {
    const heard = await hear(await bench.make(name, '-i', media('garden'), ...format));
    expect(speakersOf(heard)).toEqual([0, 1, 0, 1]);
  });

  it.each(rows<number>([], [5]))('has no more speakers if it is repeated %d times', async (times) => {
    const looped = await bench.make('looped.wav', '-stream_loop', String(times), '-i', media('garden'));
    const heard = await hear(looped);
    expect(heard.durationSeconds).toBeGreaterThan(13.4 * (times + 1));
    expect(new Set(speakersOf(heard)).size).toBe(2);
    expect(heard.voiceSegments.length).toBeGreaterThan(3.4 * (times + 1));
  });

  it.each(
    rows<readonly [string, number, readonly string[]]>(
      [['on a telephone line', 120, TELEPHONE]],
      [
        ['as it was recorded', 120, []],
        ['as it was recorded', 900, []],
      ],
    ),
  )('%s has its two speakers on both sides of a silence of %d s', async (_, seconds, format) => {
    const once = await bench.make('once.wav', '-i', media('garden'), ...format);
    const filter = `[0]apad=pad_dur=${String(seconds)}[first];[first][1]concat=n=2:v=0:a=1`;
    const torn = await bench.make('torn.wav', '-i', once, '-i', once, '-filter_complex', filter);
    const heard = await hear(torn);
    expect(speakersOf(heard)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    const [last, next] = [heard.voiceSegments[3]!, heard.voiceSegments[4]!];
    expect(next.startSeconds - last.endSeconds).toBeGreaterThan(seconds - 10);
  });
});

const WHITE_NOISE = 'anoisesrc=a=0.1:seed=1:r=16000';
/** The rumble of a town, a car that passes every eight seconds, and a horn. */
const STREET = [
  'anoisesrc=color=brown:a=0.3:seed=2:r=16000[town]',
  "anoisesrc=color=pink:a=0.4:seed=3:r=16000,lowpass=f=1800,volume='exp(-pow(mod(t\\,8)-4\\,2)/2)':eval=frame[car]",
  "aevalsrc='0.08*(sin(2*PI*415*t)+sin(2*PI*520*t))*lt(mod(t\\,17)\\,0.6)':s=16000[horn]",
  '[town][car][horn]amix=inputs=3:duration=longest:normalize=0',
].join(';');
const TUNE = '262*pow(2\\,floor(7*mod(floor(t*3)*0.37\\,1))/6)*t';
/** A tune with overtones above a chord and a drum. */
const MUSIC = [
  `aevalsrc='0.3*exp(-4*mod(t*3\\,1))*(sin(2*PI*${TUNE})+0.4*sin(4*PI*${TUNE})+0.2*sin(6*PI*${TUNE}))':s=16000[tune]`,
  "aevalsrc='0.1*(sin(2*PI*131*t)+sin(2*PI*165*t)+sin(2*PI*196*t))*(0.6+0.4*sin(2*PI*5*t))':s=16000[chord]",
  "anoisesrc=color=pink:a=0.5:seed=4:r=16000,volume='exp(-12*mod(t*1.5\\,1))':eval=frame[drum]",
  '[tune][chord][drum]amix=inputs=3:duration=longest:normalize=0',
].join(';');

describe('an audio with hardly any speech', { timeout: TIMEOUT_MS }, () => {
  it('has one word of one speaker if it contains one word', async () => {
    // The line starts with "Why not?".
    const word = await bench.make('word.wav', '-ss', '11.7', '-t', '0.9', '-i', media('tea'));
    const heard = await hear(word, true);
    expect(speakersOf(heard)).toEqual([0]);
    expect(heard.segments).toHaveLength(1);
    expect(heard.segments[0]?.text).toMatch(/^\S+( \S+)?$/);
  });

  it.each(
    rows(
      [
        ['silence', 'anullsrc=r=44100', '20'],
        ['one sample', 'sine=f=300:r=16000', '0.00006'],
        [
          'a chord with tremolo',
          'aevalsrc=0.2*sin(2*PI*220*t)+0.2*sin(2*PI*277*t)+0.2*sin(2*PI*330*t),tremolo=f=4',
          '20',
        ],
        ['white noise', WHITE_NOISE, '20'],
        ['a street', STREET, '20'],
        ['music', MUSIC, '20'],
      ],
      [
        ['silence for long', 'anullsrc=r=44100', '600'],
        ['white noise for long', WHITE_NOISE, '600'],
        ['a street for long', STREET, '600'],
        ['music for long', MUSIC, '600'],
        ['a tenth of a second', 'sine=f=300', '0.1'],
        ['hum and hiss', 'aevalsrc=0.3*sin(2*PI*50*t)+0.1*(random(0)-0.5)', '20'],
      ],
    ),
  )('has no speakers if it is %s', async (_, source, seconds) => {
    const heard = await hear(await bench.make('made.wav', '-f', 'lavfi', '-i', source, '-t', seconds), true);
    expect(heard).toMatchObject({ voiceSegments: [], words: [], segments: [] });
  });
});

describe('a damaged file', { timeout: TIMEOUT_MS }, () => {
  const written = async (name: string, content: Buffer | string): Promise<string> => {
    await writeFile(join(bench.folder, name), content);
    return join(bench.folder, name);
  };

  it('is incomplete if it is empty, noise or text', async () => {
    const noise = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i * 31 + i * 7) % 251));
    for (const content of ['', 'Nothing to hear.\n', noise]) {
      await expect(hear(await written('broken.m4a', content))).rejects.toMatchObject({ code: 'incomplete' });
    }
  });

  it('is incomplete without its index or its sound', async () => {
    const tail = await bench.make('tail.m4a', '-i', media('garden'), '-c', 'copy', '-movflags', '0');
    await truncate(tail, 40_000);
    await expect(hear(tail)).rejects.toMatchObject({ code: 'incomplete' });
    const mute = await bench.make('mute.mp4', '-f', 'lavfi', '-i', 'color=black:s=64x64', '-t', '1');
    await expect(hear(mute)).rejects.toMatchObject({ code: 'incomplete' });
  });

  it('is transcribed up to its truncated end', async () => {
    const whole = await readFile(await bench.make('whole.wav', '-i', media('garden'), '-ar', '16000'));
    const heard = await hear(await written('half.wav', whole.subarray(0, whole.length / 2)));
    expect(heard.durationSeconds).toBeCloseTo(7, 0);
    expect(speakersOf(heard)).toEqual([0, 1]);
  });
});
