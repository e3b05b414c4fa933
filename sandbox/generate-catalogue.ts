// Writes the speech, the pictures and the captions of the built-in catalogue. The results are committed, so that only
// someone who changes dialogues.json needs espeak-ng:
//   npx tsx sandbox/generate-catalogue.ts ESPEAK_NG FFMPEG
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { run } from '../subprocess/run.ts';
import { automaticJson3, automaticVtt, manualJson3, manualVtt, type Utterance } from './generate-captions.ts';

const CATALOGUE = fileURLToPath(new URL('./catalogue', import.meta.url));
const VOICES = {
  a: { voice: 'en-us+f3', pitch: '65', speed: '165' },
  b: { voice: 'en-gb+m3', pitch: '30', speed: '155' },
} as const;
const PAUSE_MS = 350;
const SAMPLE_RATE = 22_050;
const WAV_HEADER_BYTES = 44;
const PICTURES_PER_SECOND = 10;
/** Names of the real platform for H.264 without sound. */
const FORMAT_OF_HEIGHT: Readonly<Record<number, string>> = { 144: '160', 360: '134', 720: '136', 1080: '137' };
/** The real platform sends separate tracks as fragmented MP4 with an index of segments. */
const FRAGMENTED = '+frag_keyframe+empty_moov+default_base_moof+global_sidx';
const FRAGMENT_MICROSECONDS = '5000000';

const dialogues = z
  .array(
    z.object({
      folder: z.string().regex(/^[a-z]+$/),
      heights: z.array(z.number()),
      lines: z.array(z.tuple([z.enum(['a', 'b']), z.string()])),
    }),
  )
  .parse(JSON.parse(await readFile(join(CATALOGUE, 'dialogues.json'), 'utf8')));

const [espeak, ffmpeg] = process.argv.slice(2);
if (espeak === undefined || ffmpeg === undefined) throw new Error('usage: generate-catalogue.ts ESPEAK_NG FFMPEG');
const work = await mkdtemp(join(tmpdir(), 'catalogue-'));
const env = Object.fromEntries(Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
try {
  for (const dialogue of dialogues) {
    const folder = join(CATALOGUE, 'media', dialogue.folder);
    await mkdir(folder, { recursive: true });
    const { wav, utterances, durationSeconds } = await speak(dialogue.lines);
    await writeAudio(wav, folder);
    for (const height of dialogue.heights) await writePicture(height, durationSeconds, folder);
    await writeFile(join(folder, 'en.vtt'), manualVtt(utterances));
    await writeFile(join(folder, 'en.json3'), manualJson3(utterances));
    await writeFile(join(folder, 'en.auto.vtt'), automaticVtt(utterances));
    await writeFile(join(folder, 'en.auto.json3'), automaticJson3(utterances));
  }
  const silent = join(CATALOGUE, 'media', 'silent');
  await mkdir(silent, { recursive: true });
  await writeAudio(await writeWav(Buffer.alloc(SAMPLE_RATE * 2 * 10)), silent);
  await writePicture(144, 10, silent);
} finally {
  await rm(work, { recursive: true });
}

async function speak(lines: readonly (readonly ['a' | 'b', string])[]): Promise<{
  wav: string;
  utterances: Utterance[];
  durationSeconds: number;
}> {
  const pause = Buffer.alloc(Math.round((PAUSE_MS / 1000) * SAMPLE_RATE) * 2);
  const parts: Buffer[] = [pause];
  const utterances: Utterance[] = [];
  let samples = pause.length / 2;
  for (const [speaker, text] of lines) {
    const { voice, pitch, speed } = VOICES[speaker];
    const file = join(work, 'line.wav');
    await program(espeak ?? '', ['-v', voice, '-p', pitch, '-s', speed, '-w', file, '--', text]);
    const pcm = (await readFile(file)).subarray(WAV_HEADER_BYTES);
    utterances.push({
      startMs: Math.round((samples / SAMPLE_RATE) * 1000),
      durationMs: Math.round((pcm.length / 2 / SAMPLE_RATE) * 1000),
      text,
    });
    parts.push(pcm, pause);
    samples += (pcm.length + pause.length) / 2;
  }
  return { wav: await writeWav(Buffer.concat(parts)), utterances, durationSeconds: samples / SAMPLE_RATE };
}

async function writeWav(pcm: Buffer): Promise<string> {
  const raw = join(work, 'speech.raw');
  const wav = join(work, 'speech.wav');
  await writeFile(raw, pcm);
  await program(ffmpeg ?? '', ['-y', '-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '1', '-i', raw, wav]);
  return wav;
}

async function writeAudio(wav: string, folder: string): Promise<void> {
  const aac = (rate: string, bits: string): string[] => ['-ar', rate, '-c:a', 'aac', '-b:a', bits];
  await encode(['-i', wav, ...aac('44100', '64k'), ...fragments()], join(folder, '140.m4a'));
  await encode(['-i', wav, ...aac('22050', '32k'), ...fragments()], join(folder, '139.m4a'));
  await encode(['-i', wav, '-ar', '48000', '-c:a', 'libopus', '-b:a', '32k'], join(folder, '251.webm'));
}

/** A bar that crosses the picture from left to right, so that the time can be seen in every picture. */
async function writePicture(height: number, durationSeconds: number, folder: string): Promise<void> {
  const width = Math.round((height * 16) / 9 / 2) * 2;
  const source = (colour: string, w: number): string =>
    `color=c=${colour}:s=${String(w)}x${String(height)}:r=${String(PICTURES_PER_SECOND)}:d=${String(durationSeconds)}`;
  const filter = `${source('0x1d3557', width)}[back];${source('0xf1faee', Math.round(height / 36) * 2)}[bar];[back][bar]overlay=x='(W-w)*t/${String(durationSeconds)}'[out]`;
  await encode(
    [
      ...['-filter_complex', filter, '-map', '[out]', '-c:v', 'libx264', '-preset', 'slow', '-crf', '32'],
      ...['-pix_fmt', 'yuv420p', '-g', '50', ...fragments()],
    ],
    join(folder, `${FORMAT_OF_HEIGHT[height] ?? String(height)}.mp4`),
  );
}

function fragments(): string[] {
  return ['-movflags', FRAGMENTED, '-frag_duration', FRAGMENT_MICROSECONDS, '-brand', 'dash'];
}

async function encode(args: readonly string[], output: string): Promise<void> {
  // Bit-exact, so that running it again changes nothing that is committed.
  await program(ffmpeg ?? '', [
    '-y',
    ...args,
    '-fflags',
    '+bitexact',
    '-flags',
    '+bitexact',
    '-map_metadata',
    '-1',
    output,
  ]);
}

async function program(path: string, args: readonly string[]): Promise<void> {
  const result = await run(path, args, { cwd: work, env });
  if (result.exitCode !== 0) throw new Error(`${path} failed: ${result.stderrTail}`);
}
