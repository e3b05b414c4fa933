import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { JobError } from '../runtime/job-error.ts';
import type { VoiceSegment, Word } from '../contract/speech-results.ts';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import { analysisTimeoutMs, type SpeechEngine } from './speech-engine.ts';
import { progressLine, runJsonLines, spanSchema, voiceLine } from './json-lines.ts';

const ANALYSE = fileURLToPath(new URL('./builtin/analyse.py', import.meta.url));
const LINK = fileURLToPath(new URL('./builtin/link.py', import.meta.url));

const lineSchema = z.union([progressLine, z.object({ word: spanSchema.extend({ text: z.string() }) }), voiceLine]);
/** Twelve hours take a minute. */
const LINKING_TIMEOUT_MS = 30 * 60_000;

const linkSchema = z.array(z.array(z.int().min(0)));

export interface BuiltinSettings {
  /** Absolute path of a Python that has the packages of local/engines/speech-requirements.txt. */
  readonly python: string;
  /** Absolute path of a folder for short-lived files. */
  readonly workFolder: string;
  /** Wall-clock limit of one window, and of linking the windows. */
  readonly timeoutMs: number;
  /** False where another engine hears the words: voices alone take a fraction of the time. Default: true. */
  readonly words?: boolean;
}

/**
 * Speech without any download of models: English words by pocketsphinx, voices by classical features and clustering.
 * docs/speech.md says how far that goes.
 */
export function createBuiltinEngine({
  python,
  workFolder,
  timeoutMs,
  words: hearsWords = true,
}: BuiltinSettings): SpeechEngine {
  const env = {
    ...bareEnvironment(python),
    // One core a window: windows run beside each other, and sums in another order would differ in their last digits.
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
  };
  const common = (signal: AbortSignal, mostMs: number) => {
    return { cwd: workFolder, env, signal, timeoutMs: Math.min(timeoutMs, mostMs) };
  };
  return {
    name: 'builtin',
    ...(hearsWords ? { languages: ['en'] } : {}),

    async analyse({ wavPath, startSeconds, endSeconds, speech }, { language, signal, onProgress }) {
      if (hearsWords && language !== undefined && !/^en(-|$)/i.test(language)) {
        throw new JobError('englishOnly');
      }
      const words: Word[] = [];
      const voices: VoiceSegment[] = [];
      const regions = JSON.stringify(speech.map((region) => [region.startSeconds, region.endSeconds]));
      await runJsonLines(
        python,
        [
          ...['-E', '-s', '-B', ANALYSE, wavPath],
          ...[String(startSeconds), String(endSeconds), regions, hearsWords ? 'all' : 'voices'],
        ],
        {
          what: 'the analysis of speech',
          schema: lineSchema,
          onLine: (line) => {
            if ('progress' in line) onProgress(line.progress);
            else if ('word' in line) words.push(line.word);
            else voices.push(line.voice);
          },
          run: common(signal, analysisTimeoutMs({ startSeconds, endSeconds })),
        },
      );
      return { ...(hearsWords ? { language: 'en' } : {}), words, voices };
    },

    async cluster(windows, { signal, ...limits }) {
      if (windows.every((voices) => voices.length === 0)) return windows.map(() => []);
      const folder = await mkdtemp(join(workFolder, 'link-'));
      try {
        const question = join(folder, 'voices.json');
        const trimmed = windows.map((voices) =>
          voices.map(({ localSpeaker, embedding }) => ({ localSpeaker, embedding })),
        );
        await writeFile(question, JSON.stringify({ windows: trimmed, ...limits }));
        let speakers: number[][] = [];
        await runJsonLines(python, ['-E', '-s', '-B', LINK, question], {
          what: 'telling speakers apart',
          schema: linkSchema,
          onLine: (line) => (speakers = line),
          run: common(signal, LINKING_TIMEOUT_MS),
        });
        return speakers;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
