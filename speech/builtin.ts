import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { VoiceSegment } from '../contract/speech-results.ts';
import { analysisTimeoutMs, type SpeechEngine } from './speech-engine.ts';
import { progressLine, runJsonLines, voiceLine } from './json-lines.ts';

const ANALYSE = fileURLToPath(new URL('./builtin/analyse.py', import.meta.url));
const LINK = fileURLToPath(new URL('./builtin/link.py', import.meta.url));

const lineSchema = z.union([progressLine, voiceLine]);
/** Twelve hours of audio take a minute. */
const LINKING_TIMEOUT_MS = 30 * 60_000;

export interface BuiltinSettings {
  /** Absolute path of a Python that has the packages of local/engines/speech-requirements.txt. */
  readonly python: string;
  readonly workFolder: string;
  /** Wall-clock limit of one window, and of linking the windows. */
  readonly timeoutMs: number;
}

/** Tells voices apart without models, and transcribes nothing. docs/speech.md compares the engines. */
export function createBuiltinEngine({ python, workFolder, timeoutMs }: BuiltinSettings): SpeechEngine {
  // Windows are analysed concurrently. With more threads, the last digits would depend on the order of summation.
  const env = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  return {
    name: 'builtin',

    async analyse({ wavPath, startSeconds, endSeconds, speech }, { signal, onProgress }) {
      const voices: VoiceSegment[] = [];
      const regions = JSON.stringify(speech.map((region) => [region.startSeconds, region.endSeconds]));
      await runJsonLines(
        python,
        [...['-E', '-s', '-B', ANALYSE, wavPath], ...[String(startSeconds), String(endSeconds), regions]],
        {
          what: 'the analysis of speech',
          schema: lineSchema,
          onLine: (line) => {
            if ('progress' in line) onProgress(line.progress);
            else voices.push(line.voice);
          },
          ...{ cwd: workFolder, env, signal },
          timeoutMs: Math.min(timeoutMs, analysisTimeoutMs({ startSeconds, endSeconds })),
        },
      );
      return { words: [], voices };
    },

    async cluster(windows, { signal, ...limits }) {
      if (windows.every((voices) => voices.length === 0)) return windows.map(() => []);
      const folder = await mkdtemp(join(workFolder, 'link-'));
      try {
        const request = join(folder, 'voices.json');
        const trimmed = windows.map((voices) =>
          voices.map(({ localSpeaker, embedding }) => ({ localSpeaker, embedding })),
        );
        await writeFile(request, JSON.stringify({ windows: trimmed, ...limits }));
        let speakers: number[][] = [];
        await runJsonLines(python, ['-E', '-s', '-B', LINK, request], {
          what: 'the identification of speakers',
          schema: z.array(z.array(z.int().min(0))),
          onLine: (line) => (speakers = line),
          ...{ cwd: workFolder, env, signal },
          timeoutMs: Math.min(timeoutMs, LINKING_TIMEOUT_MS),
        });
        return speakers;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
