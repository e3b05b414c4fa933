import { readdir, readFile, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { rttmLine, type RttmSegment } from '../../../contract/text/rttm.ts';
import { runJsonLines, spanSchema } from '../../../speech/json-lines.ts';
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

/** `reference` may be empty, `stm` absent. */
export interface Recording {
  readonly name: string;
  readonly path: string;
  readonly reference: readonly RttmSegment[];
  readonly stm?: readonly { readonly file: string; readonly speaker: string; readonly text: string }[];
}

/** The audio files of a folder with what its RTTM and STM files say of them. */
export async function readRecordings(folder: string): Promise<Recording[]> {
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

const LONG_TALK = fileURLToPath(new URL('./long-talk.txt', import.meta.url));
const SYNTHESISER = fileURLToPath(new URL('./synthesise.py', import.meta.url));
const spokenSchema = spanSchema.extend({ speaker: z.string(), text: z.string() });
type Spoken = z.infer<typeof spokenSchema>;

/**
 * Writes the two-voice recordings of the sandbox, and one of ten minutes that is synthesised here, into a folder with their
 * RTTM and STM.
 *
 * @param python has the packages of requirements.txt
 */
export async function writeSandboxSet(folder: string, { ffmpeg, python }: { ffmpeg: string; python: string }) {
  await mkdir(folder, { recursive: true });
  const lines: Spoken[] = [];
  await runJsonLines(python, ['-E', '-s', '-B', SYNTHESISER, LONG_TALK, join(folder, 'clocks.wav')], {
    what: 'speech synthesis',
    schema: spokenSchema,
    onLine: (line) => lines.push(line),
    ...{ cwd: folder, timeoutMs: 600_000 },
  });
  await writeReference('clocks', { folder, ffmpeg, audio: join(folder, 'clocks.wav'), lines });
  const dialogues = dialoguesSchema.parse(JSON.parse(await readFile(join(CATALOGUE, 'dialogues.json'), 'utf8')));
  for (const { folder: name, lines } of dialogues) {
    const media = join(CATALOGUE, 'media', name);
    await copyFile(join(media, '140.m4a'), join(folder, `${name}.m4a`));
    const { events } = captionsSchema.parse(JSON.parse(await readFile(join(media, 'en.json3'), 'utf8')));
    const spoken = events.map(({ tStartMs, dDurationMs }, i) => {
      const [speaker = '', text = ''] = lines[i] ?? [];
      return { speaker, text, startSeconds: tStartMs / 1000, endSeconds: (tStartMs + dDurationMs) / 1000 };
    });
    await writeReference(name, { folder, ffmpeg, audio: join(media, '140.m4a'), lines: spoken });
  }
}

/** Lines are shortened to what is heard of them. */
async function writeReference(
  name: string,
  { folder, ffmpeg, audio, lines }: { folder: string; ffmpeg: string; audio: string; lines: readonly Spoken[] },
): Promise<void> {
  const samples = await samplesOf(audio, join(folder, `${name}.tmp`), ffmpeg);
  const isHeard = (sample: number): boolean => Math.abs(sample) > HEARD_AMPLITUDE;
  const segments = lines.map(({ startSeconds, endSeconds, ...line }) => {
    const [first = 0, last] = [startSeconds, endSeconds].map((seconds) => Math.round(seconds * SAMPLE_RATE));
    const heard = samples.subarray(first, last);
    return {
      ...{ file: name, ...line },
      startSeconds: (first + heard.findIndex(isHeard)) / SAMPLE_RATE,
      endSeconds: (first + heard.findLastIndex(isHeard)) / SAMPLE_RATE,
    };
  });
  await writeFile(join(folder, `${name}.rttm`), writeRttm(segments));
  const stm = segments.map(
    (t) => `${name} 1 ${t.speaker} ${t.startSeconds.toFixed(3)} ${t.endSeconds.toFixed(3)} ${t.text}\n`,
  );
  await writeFile(join(folder, `${name}.stm`), stm.join(''));
}

/** Decodes a file as the engine gets it. @param scratch a path that is used meanwhile */
export async function samplesOf(input: string, scratch: string, ffmpeg: string): Promise<Int16Array> {
  const { signal } = new AbortController();
  await prepareWav(input, scratch, { ffmpeg, signal, timeoutMs: 60_000, maxSeconds: 3600 });
  const { offsetBytes, lengthBytes } = await readWavLayout(scratch);
  const bytes = Uint8Array.from((await readFile(scratch)).subarray(offsetBytes, offsetBytes + lengthBytes));
  await rm(scratch);
  return new Int16Array(bytes.buffer);
}
