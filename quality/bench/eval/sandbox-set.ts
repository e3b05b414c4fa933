import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { writeRttm } from './rttm.ts';
import { prepareWav } from '../../../speech/prepare.ts';
import { readWavLayout, SAMPLE_RATE } from '../../../speech/wav.ts';

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
