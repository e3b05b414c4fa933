import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Span } from '../contract/speech-results.ts';
import { progressLine, runJsonLines, spanSchema } from './json-lines.ts';
import { readWavLayout } from './wav.ts';

const SILERO = fileURLToPath(new URL('./regions-child.mjs', import.meta.url));
const lineSchema = z.union([z.object({ speech: spanSchema }), progressLine]);

export interface RegionsOptions {
  readonly vadModel: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (share: number) => void;
}

export interface SpeechRegions {
  readonly durationSeconds: number;
  /** In order, without overlaps. They are at most 25 s long. */
  readonly speech: readonly Span[];
}

export async function findSpeech(
  wavPath: string,
  { vadModel, signal, timeoutMs, onProgress }: RegionsOptions,
): Promise<SpeechRegions> {
  const { durationSeconds, offsetBytes, lengthBytes } = await readWavLayout(wavPath);
  const speech: Span[] = [];
  await runJsonLines(process.execPath, [SILERO, wavPath, String(offsetBytes), String(lengthBytes), vadModel], {
    what: 'the search for speech',
    schema: lineSchema,
    onLine: (line) => {
      if ('progress' in line) {
        onProgress(line.progress);
        return;
      }
      // The last step is padded with silence and may end after the file.
      const endSeconds = Math.min(line.speech.endSeconds, durationSeconds);
      if (line.speech.startSeconds < endSeconds) speech.push({ ...line.speech, endSeconds });
    },
    cwd: dirname(wavPath),
    signal,
    // A slow processor needs a fiftieth of the duration.
    timeoutMs: Math.min(timeoutMs, 600_000 + durationSeconds * 500),
  });
  onProgress(1);
  return { durationSeconds, speech };
}
