import { failureFor } from '../../contract/failures.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { JobError } from '../../runtime/job-error.ts';
import type { VoiceSegment, WindowResult, Word } from '../../contract/speech-results.ts';
import { RunTimeoutError } from '../../runtime/subprocess/run-program.ts';
import { analysisTimeoutMs, type AnalyseOptions, type AudioWindow } from '../speech-engine.ts';
import { progressLine, runJsonLines, spanSchema, voiceLine } from '../json-lines.ts';
import type { Recogniser } from '../models/inspect.ts';
import { damagedFilesIn, knownFilesOf } from '../models/models-folder.ts';
import { readWavLayout } from '../wav.ts';
import type { SherpaModels, VoiceModels } from '../models/find-models.ts';
import { recognisedSchema, wordsOf } from './sherpa-words.ts';

const CHILD = fileURLToPath(new URL('./analyse.mjs', import.meta.url));
const lineSchema = z.union([
  progressLine,
  z.object({ loaded: z.literal(true) }),
  z.object({
    recognised: recognisedSchema.extend({
      chunk: spanSchema.extend({ speech: z.array(spanSchema) }),
      sampled: spanSchema,
    }),
  }),
  voiceLine,
]);

export interface SherpaSettings {
  /** Without a recogniser the engine detects voices and no words. */
  readonly models: SherpaModels | VoiceModels;
  readonly workFolder: string;
  readonly timeoutMs: number;
  readonly threads: number;
}

type Options = SherpaSettings & Omit<AnalyseOptions, 'language'>;

/** @throws JobError `tool_missing` if the model files have changed or cannot be loaded; `internal` */
export async function runAnalysis(window: AudioWindow, options: Options): Promise<WindowResult> {
  const { models, threads, workFolder, signal, onProgress } = options;
  const timeoutMs = Math.min(options.timeoutMs, analysisTimeoutMs(window));
  const recogniser = 'recogniser' in models ? models.recogniser : undefined;
  await checkModels(models, recogniser);
  const { offsetBytes, lengthBytes } = await readWavLayout(window.wavPath);
  const request = {
    wav: { path: window.wavPath, offsetBytes, lengthBytes },
    startSeconds: window.startSeconds,
    endSeconds: window.endSeconds,
    speech: window.speech,
    ...(recogniser === undefined ? {} : { recogniser }),
    voices: { segmentation: models.segmentation, embedding: models.embedding },
    threads,
  };
  const words: Word[] = [];
  const voices: VoiceSegment[] = [];
  let isLoaded = false;
  await runJsonLines(process.execPath, [CHILD, JSON.stringify(request)], {
    what: 'the analysis of speech',
    schema: lineSchema,
    onLine: (line) => {
      if ('progress' in line) onProgress(line.progress);
      else if ('loaded' in line) isLoaded = true;
      else if ('voice' in line) voices.push(line.voice);
      else {
        const { chunk, sampled } = line.recognised;
        words.push(...wordsOf(line.recognised, chunk, sampled));
      }
    },
    ...{ cwd: workFolder, signal, timeoutMs },
  }).catch((error: unknown) => {
    throw isLoaded || !isFailure(error) ? error : modelsNotLoadable(models.modelsDir, error);
  });
  words.sort((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  return { words, voices };
}

/** Checks the presence and size of the model files. `npm run models -- verify` checks their contents. */
async function checkModels({ modelsDir, names }: VoiceModels, recogniser: Recogniser | undefined): Promise<void> {
  try {
    for (const name of names) {
      const [problem] = await damagedFilesIn(join(modelsDir, name), knownFilesOf(name));
      if (problem !== undefined) throw new Error(problem);
    }
    if (recogniser !== undefined) await stat(recogniser.encoder);
  } catch (error) {
    throw modelsNotLoadable(modelsDir, error);
  }
}

function modelsNotLoadable(modelsDir: string, cause: unknown): JobError {
  return new JobError(failureFor('speechModelsUnreadable', { modelsDir }), { cause });
}

function isFailure(error: unknown): boolean {
  return error instanceof JobError && error.code === 'internal' && !(error.cause instanceof RunTimeoutError);
}
