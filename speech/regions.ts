import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bareEnvironment } from '../runtime/subprocess/environment.ts';
import type { Span } from '../contract/speech.ts';
import { progressLine, runJsonLines, spanSchema } from './json-lines.ts';
import { readWavLayout } from './wav.ts';

const CHILD = fileURLToPath(new URL('./regions-child.mjs', import.meta.url));
const lineSchema = z.union([z.object({ speech: spanSchema }), progressLine]);

export interface RegionsOptions {
  /** Absolute path of Silero's ONNX file. */
  readonly vadModel: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called with the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** How long the audio is, and where somebody speaks in it. */
export interface SpeechRegions {
  readonly durationSeconds: number;
  /** In order, without overlaps, none longer than 25 s. */
  readonly speech: readonly Span[];
}

/**
 * Finds speech with Silero VAD, in a process of its own that reads the file piece by piece.
 *
 * @param wavPath absolute path of a file that prepare.ts wrote
 * @throws JobError `internal` when the file is something else or the process fails; the signal's reason
 */
export async function findSpeech(wavPath: string, options: RegionsOptions): Promise<SpeechRegions> {
  const layout = await readWavLayout(wavPath);
  const { durationSeconds } = layout;
  const speech: Span[] = [];
  await runJsonLines(
    process.execPath,
    [CHILD, wavPath, String(layout.offsetBytes), String(layout.lengthBytes), options.vadModel],
    {
      what: 'the search for speech',
      schema: lineSchema,
      onLine: (line) => {
        if ('progress' in line) {
          options.onProgress(line.progress);
          return;
        }
        // The last step is filled up with silence, and may end after the file.
        const endSeconds = Math.min(line.speech.endSeconds, durationSeconds);
        if (line.speech.startSeconds < endSeconds) speech.push({ ...line.speech, endSeconds });
      },
      run: {
        cwd: dirname(wavPath),
        env: bareEnvironment(process.execPath),
        signal: options.signal,
        timeoutMs: options.timeoutMs,
      },
    },
  );
  options.onProgress(1);
  return { durationSeconds, speech };
}
