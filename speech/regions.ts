import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import type { Span } from '../contract/speech-results.ts';
import { progressLine, runJsonLines, spanSchema } from './json-lines.ts';
import { readWavLayout } from './wav.ts';

const SILERO = fileURLToPath(new URL('./regions-child.mjs', import.meta.url));
const LEVEL = fileURLToPath(new URL('./level-child.mjs', import.meta.url));
const lineSchema = z.union([z.object({ speech: spanSchema }), progressLine]);

export interface SearchOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called with the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export interface RegionsOptions extends SearchOptions {
  /** Absolute path of Silero's ONNX file. */
  readonly vadModel: string;
}

/** How long the audio is, and where somebody speaks in it. */
export interface SpeechRegions {
  readonly durationSeconds: number;
  /** In order, without overlaps; those of Silero are no longer than 25 s. */
  readonly speech: readonly Span[];
}

/**
 * Finds speech with Silero VAD, in a process of its own that reads the file piece by piece.
 *
 * @param wavPath absolute path of a file that prepare.ts wrote
 * @throws JobError `internal` when the file is something else or the process fails; the signal's reason
 */
export function findSpeech(wavPath: string, { vadModel, ...options }: RegionsOptions): Promise<SpeechRegions> {
  return search(SILERO, [vadModel], { wavPath, ...options });
}

/**
 * Finds what is louder than its ground, periodic and gliding as voices are: not silence, noise, or notes that are held. It
 * takes much for speech that is none, so it is for audio in which nobody is heard at all. Otherwise as {@link findSpeech}.
 */
export function findByLevel(wavPath: string, options: SearchOptions): Promise<SpeechRegions> {
  return search(LEVEL, [], { wavPath, ...options });
}

/** A slow processor takes a fiftieth of the audio. */
function searchTimeMs(durationSeconds: number): number {
  return 600_000 + durationSeconds * 500;
}

async function search(
  child: string,
  args: readonly string[],
  { wavPath, signal, timeoutMs, onProgress }: SearchOptions & { readonly wavPath: string },
): Promise<SpeechRegions> {
  const { durationSeconds, offsetBytes, lengthBytes } = await readWavLayout(wavPath);
  const speech: Span[] = [];
  await runJsonLines(process.execPath, [child, wavPath, String(offsetBytes), String(lengthBytes), ...args], {
    what: 'the search for speech',
    schema: lineSchema,
    onLine: (line) => {
      if ('progress' in line) {
        onProgress(line.progress);
        return;
      }
      // The last step is filled up with silence, and may end after the file.
      const endSeconds = Math.min(line.speech.endSeconds, durationSeconds);
      if (line.speech.startSeconds < endSeconds) speech.push({ ...line.speech, endSeconds });
    },
    run: {
      cwd: dirname(wavPath),
      env: bareEnvironment(process.execPath),
      signal,
      timeoutMs: Math.min(timeoutMs, searchTimeMs(durationSeconds)),
    },
  });
  onProgress(1);
  return { durationSeconds, speech };
}
