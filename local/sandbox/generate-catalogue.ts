// Writes the speech, the pictures and the captions of the built-in catalogue. The results are committed, so that only
// someone who changes dialogues.json needs espeak-ng:
//   npx tsx local/sandbox/generate-catalogue.ts ESPEAK_NG FFMPEG
// With `-` for ESPEAK_NG the media that are there stay as they are: only captions and missing pictures are written.
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { run } from '../../runtime/subprocess/run.ts';
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
/** Names of the real platform for pictures without sound. */
const H264_OF_HEIGHT: Readonly<Record<number, string>> = { 144: '160', 360: '134', 720: '136', 1080: '137' };
const VP9_OF_HEIGHT: Readonly<Record<number, string>> = { 360: '243', 720: '247' };
/** The real platform sends separate tracks as fragmented MP4 with an index of segments. */
const FRAGMENTED = '+frag_keyframe+empty_moov+default_base_moof+global_sidx';
const FRAGMENT_MICROSECONDS = '5000000';

const ENCODERS = {
  h264: {
    args: ['-c:v', 'libx264', '-preset', 'slow', '-crf', '32', ...fragments()],
    ext: 'mp4',
    formatOfHeight: H264_OF_HEIGHT,
  },
  vp9: { args: ['-c:v', 'libvpx-vp9', '-b:v', '0', '-crf', '45'], ext: 'webm', formatOfHeight: VP9_OF_HEIGHT },
} as const;

const dialogues = z
  .array(
    z.object({
      folder: z.string().regex(/^[a-z]+$/),
      heights: z.array(z.number()),
      vp9_heights: z.array(z.number()).default([]),
      lines: z.array(z.tuple([z.enum(['a', 'b']), z.string()])),
      translations: z.record(z.string(), z.array(z.string())).default({}),
    }),
  )
  .parse(JSON.parse(await readFile(join(CATALOGUE, 'dialogues.json'), 'utf8')));

const [espeak, ffmpeg] = process.argv.slice(2);
if (espeak === undefined || ffmpeg === undefined) throw new Error('usage: generate-catalogue.ts ESPEAK_NG FFMPEG');
const keep = espeak === '-';
const work = await mkdtemp(join(tmpdir(), 'catalogue-'));
const env = Object.fromEntries(Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
try {
  for (const dialogue of dialogues) {
    const folder = join(CATALOGUE, 'media', dialogue.folder);
    await mkdir(folder, { recursive: true });
    const { utterances, durationSeconds } = keep ? await remember(folder) : await speak(dialogue.lines, folder);
    for (const height of dialogue.heights) await writePicture('h264', height, { durationSeconds, folder });
    for (const height of dialogue.vp9_heights) await writePicture('vp9', height, { durationSeconds, folder });
    await writeManual(utterances, 'en', folder);
    for (const [language, texts] of Object.entries(dialogue.translations)) {
      await writeManual(
        utterances.map((u, index) => ({ ...u, text: texts[index] ?? u.text })),
        language,
        folder,
      );
    }
    await writeFile(join(folder, 'en.auto.vtt'), automaticVtt(utterances));
    await writeFile(join(folder, 'en.auto.json3'), automaticJson3(utterances));
  }
  if (!keep) {
    const silent = join(CATALOGUE, 'media', 'silent');
    await mkdir(silent, { recursive: true });
    await writeAudio(await writeWav(Buffer.alloc(SAMPLE_RATE * 2 * 10)), silent);
    await writePicture('h264', 144, { durationSeconds: 10, folder: silent });
  }
} finally {
  await rm(work, { recursive: true });
}

interface Speech {
  readonly utterances: readonly Utterance[];
  readonly durationSeconds: number;
}

/** When what was said, as the captions of an earlier run tell it. */
async function remember(folder: string): Promise<Speech> {
  const schema = z.object({
    events: z.array(
      z.object({ tStartMs: z.number(), dDurationMs: z.number(), segs: z.tuple([z.object({ utf8: z.string() })]) }),
    ),
  });
  const { events } = schema.parse(JSON.parse(await readFile(join(folder, 'en.json3'), 'utf8')));
  const utterances = events.map(({ tStartMs, dDurationMs, segs }) => ({
    ...{ startMs: tStartMs, durationMs: dDurationMs, text: segs[0].utf8 },
  }));
  const endMs = Math.max(...utterances.map((u) => u.startMs + u.durationMs));
  return { utterances, durationSeconds: (endMs + PAUSE_MS) / 1000 };
}

async function writeManual(utterances: readonly Utterance[], language: string, folder: string): Promise<void> {
  await writeFile(join(folder, `${language}.vtt`), manualVtt(utterances, language));
  await writeFile(join(folder, `${language}.json3`), manualJson3(utterances));
}

/** Also writes the audio. */
async function speak(lines: readonly (readonly ['a' | 'b', string])[], folder: string): Promise<Speech> {
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
  await writeAudio(await writeWav(Buffer.concat(parts)), folder);
  return { utterances, durationSeconds: samples / SAMPLE_RATE };
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
async function writePicture(
  codec: keyof typeof ENCODERS,
  height: number,
  { durationSeconds, folder }: { durationSeconds: number; folder: string },
): Promise<void> {
  const { args, ext, formatOfHeight } = ENCODERS[codec];
  const output = join(folder, `${formatOfHeight[height] ?? String(height)}.${ext}`);
  if (keep && (await exists(output))) return;
  const width = Math.round((height * 16) / 9 / 2) * 2;
  const source = (colour: string, w: number): string =>
    `color=c=${colour}:s=${String(w)}x${String(height)}:r=${String(PICTURES_PER_SECOND)}:d=${String(durationSeconds)}`;
  const filter = `${source('0x1d3557', width)}[back];${source('0xf1faee', Math.round(height / 36) * 2)}[bar];[back][bar]overlay=x='(W-w)*t/${String(durationSeconds)}'[out]`;
  await encode(['-filter_complex', filter, '-map', '[out]', ...args, '-pix_fmt', 'yuv420p', '-g', '50'], output);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
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
