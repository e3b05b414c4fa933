import { readdir, readFile, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { rttmLine, type RttmSegment } from '../../../contract/text/rttm.ts';
import { prepareWav } from '../../../speech/prepare.ts';
import { readWavLayout, SAMPLE_RATE } from '../../../speech/wav.ts';

/** Reads the SPEAKER lines; comments (`;;`) and lines of other types are left out. @throws Error that names a wrong line */
export function readRttm(text: string): RttmSegment[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [type, file, , start = '', duration = '', , , speaker] = line.trim().split(/\s+/);
    if (type !== 'SPEAKER') return [];
    const [startSeconds, seconds] = [Number(start), Number(duration)];
    const isRight = start !== '' && duration !== '' && startSeconds >= 0 && seconds >= 0;
    if (!isRight || file === undefined || speaker === undefined)
      throw new Error(`line ${index + 1} is no RTTM: ${line}`);
    return [{ file, speaker, startSeconds, endSeconds: startSeconds + seconds }];
  });
}

export function writeRttm(segments: readonly RttmSegment[]): string {
  return segments.map(rttmLine).join('');
}

const AUDIO = new Set(['.wav', '.m4a', '.mp3', '.flac', '.ogg', '.webm', '.mp4']);

export type Recording = Awaited<ReturnType<typeof readRecordings>>[number];

/** The audio files of a folder with what its RTTM and STM files say of them: `reference` may be empty, `stm` absent. */
export async function readRecordings(folder: string) {
  const names = (await readdir(folder)).sort();
  const textsOf = async (ext: string): Promise<string[]> =>
    Promise.all(names.filter((name) => extname(name) === ext).map((name) => readFile(join(folder, name), 'utf8')));
  const segments = (await textsOf('.rttm')).flatMap(readRttm);
  const texts = (await textsOf('.stm')).flatMap(readStm);
  return names
    .filter((file) => AUDIO.has(extname(file).toLowerCase()))
    .map((file) => {
      const { name } = parse(file);
      const stm = texts.filter((text) => text.file === name);
      const reference = segments.filter((segment) => segment.file === name);
      return { name, path: join(folder, file), reference, ...(stm.length === 0 ? {} : { stm }) };
    });
}

/** NIST STM: file, channel, speaker, start, end, an optional `<label>`, text. */
function readStm(text: string) {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith(';;')) return [];
    const match = /^(\S+)\s+\S+\s+(\S+)\s+[\d.]+\s+[\d.]+\s+(?:<[^>]*>\s+)?(\S.*)$/.exec(line.trim());
    const [, file = '', speaker = '', said = ''] = match ?? [];
    return match === null ? [] : [{ file, speaker, text: said }];
  });
}

const CATALOGUE = fileURLToPath(new URL('../../../local/sandbox/catalogue', import.meta.url));
const dialoguesSchema = z.array(z.object({ folder: z.string(), lines: z.array(z.tuple([z.string(), z.string()])) }));
const captionsSchema = z.object({ events: z.array(z.object({ tStartMs: z.number(), dDurationMs: z.number() })) });
/** Softer is the silence that the synthesiser puts after a line. */
const HEARD_AMPLITUDE = 32_768 * 0.005;

/** Writes the two-voice recordings of the sandbox with their RTTM and STM into a folder. */
export async function writeSandboxSet(folder: string, ffmpeg: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dialogues = dialoguesSchema.parse(JSON.parse(await readFile(join(CATALOGUE, 'dialogues.json'), 'utf8')));
  for (const { folder: name, lines } of dialogues) {
    const media = join(CATALOGUE, 'media', name);
    await copyFile(join(media, '140.m4a'), join(folder, `${name}.m4a`));
    const { events } = captionsSchema.parse(JSON.parse(await readFile(join(media, 'en.json3'), 'utf8')));
    const samples = await samplesOf(join(media, '140.m4a'), join(folder, `${name}.tmp`), ffmpeg);
    const segments = events.map(({ tStartMs, dDurationMs }, i) => {
      const [speaker = '', text = ''] = lines[i] ?? [];
      const [first, last] = [tStartMs, tStartMs + dDurationMs].map((ms) => Math.round((ms / 1000) * SAMPLE_RATE));
      const isHeard = (sample: number): boolean => Math.abs(sample) > HEARD_AMPLITUDE;
      const line = samples.subarray(first, last);
      return {
        file: name,
        speaker,
        text,
        startSeconds: ((first ?? 0) + line.findIndex(isHeard)) / SAMPLE_RATE,
        endSeconds: ((first ?? 0) + line.findLastIndex(isHeard)) / SAMPLE_RATE,
      };
    });
    await writeFile(join(folder, `${name}.rttm`), writeRttm(segments));
    const stm = segments.map(
      (t) => `${name} 1 ${t.speaker} ${t.startSeconds.toFixed(3)} ${t.endSeconds.toFixed(3)} ${t.text}\n`,
    );
    await writeFile(join(folder, `${name}.stm`), stm.join(''));
  }
}

async function samplesOf(input: string, scratch: string, ffmpeg: string): Promise<Int16Array> {
  const { signal } = new AbortController();
  await prepareWav(input, scratch, {
    ffmpeg,
    signal,
    timeoutMs: 60_000,
    maxSeconds: 3600,
    onProgress: () => undefined,
  });
  const { offsetBytes, lengthBytes } = await readWavLayout(scratch);
  const bytes = Uint8Array.from((await readFile(scratch)).subarray(offsetBytes, offsetBytes + lengthBytes));
  await rm(scratch);
  return new Int16Array(bytes.buffer);
}
