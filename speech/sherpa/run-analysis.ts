import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { JobError } from '../../runtime/job-error.ts';
import { optional } from '../../runtime/optional.ts';
import type { VoiceSegment, WindowResult, Word } from '../../contract/speech-results.ts';
import { bareEnvironment } from '../../runtime/subprocess/bare-environment.ts';
import { RunTimeoutError } from '../../runtime/subprocess/run-program.ts';
import { hearingTimeMs, type AnalyseOptions, type AudioWindow } from '../speech-engine.ts';
import { progressLine, runJsonLines, spanSchema, voiceLine } from '../json-lines.ts';
import { languageOf } from '../language-codes.ts';
import type { Recogniser } from '../models/inspect.ts';
import { readLock, wrongFilesIn } from '../models/models-folder.ts';
import { readWavLayout } from '../wav.ts';
import type { SherpaModels, VoiceModels } from './find-models.ts';
import { heardLanguage } from './sherpa-languages.ts';
import { heardSchema, wordsOf } from './sherpa-words.ts';

const CHILD = fileURLToPath(new URL('./analyse.mjs', import.meta.url));
const lineSchema = z.union([
  progressLine,
  z.object({ loaded: z.literal(true) }),
  z.object({
    heard: heardSchema.extend({
      lang: z.string(),
      chunk: spanSchema.extend({ speech: z.array(spanSchema) }),
      /** What the recogniser was given of the audio: the chunk with its margins. */
      sampled: spanSchema,
    }),
  }),
  voiceLine,
]);

export interface SherpaSettings {
  /** Of find-models.ts. Without a recogniser the engine tells voices and no words. */
  readonly models: SherpaModels | VoiceModels;
  /** Absolute path of a folder for short-lived files. */
  readonly workFolder: string;
  /** Wall-clock limit of one window. */
  readonly timeoutMs: number;
  /** Cores that one window uses. */
  readonly threads: number;
  /** Cosine distance, 0 to 2, from which two voices are two speakers. */
  readonly speakerDistance: number;
}

type Options = SherpaSettings &
  Omit<AnalyseOptions, 'language'> & {
    /** As the recogniser takes it. */
    readonly language: string | undefined;
  };

/**
 * Hears words and voices of one window in a process of its own.
 *
 * @throws JobError `tool_missing` when the models are not as they were installed, or can't be loaded; `internal`; the
 * signal's reason
 */
export async function runAnalysis(window: AudioWindow, options: Options): Promise<WindowResult> {
  const { models, threads, workFolder, language, signal, onProgress } = options;
  const timeoutMs = Math.min(options.timeoutMs, hearingTimeMs(window));
  const recogniser = 'recogniser' in models ? models.recogniser : undefined;
  await checkModels(models, recogniser);
  const { offsetBytes, lengthBytes } = await readWavLayout(window.wavPath);
  const question = {
    wav: { path: window.wavPath, offsetBytes, lengthBytes },
    startSeconds: window.startSeconds,
    endSeconds: window.endSeconds,
    speech: window.speech,
    ...(recogniser === undefined ? {} : { recogniser: { ...recogniser, ...optional('language', language) } }),
    voices: { segmentation: models.segmentation, embedding: models.embedding, threshold: options.speakerDistance },
    threads,
  };
  const words: Word[] = [];
  const voices: VoiceSegment[] = [];
  const results: WindowResult[] = [];
  let isLoaded = false;
  await runJsonLines(process.execPath, [CHILD, JSON.stringify(question)], {
    what: 'the analysis of speech',
    schema: lineSchema,
    onLine: (line) => {
      if ('progress' in line) onProgress(line.progress);
      else if ('loaded' in line) isLoaded = true;
      else if ('voice' in line) voices.push(line.voice);
      else {
        const { chunk, sampled, lang } = line.heard;
        const own = wordsOf(line.heard, chunk, sampled);
        words.push(...own);
        results.push({ words: own, voices: [], ...optional('language', languageIn(lang, recogniser)) });
      }
    },
    run: { cwd: workFolder, env: bareEnvironment(process.execPath), signal, timeoutMs },
  }).catch((error: unknown) => {
    throw isLoaded || !isFailure(error) ? error : notLoadable(models.modelsDir, error);
  });
  words.sort((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  return { words, voices, ...optional('language', languageOf(results)) };
}

/** Quick: contents are looked at by `npm run models -- verify`. */
async function checkModels({ modelsDir, names }: VoiceModels, recogniser: Recogniser | undefined): Promise<void> {
  try {
    const { models } = await readLock(modelsDir);
    for (const name of names) {
      const [wrong] = await wrongFilesIn(join(modelsDir, name), models[name]);
      if (wrong !== undefined) throw new Error(wrong);
    }
    if (recogniser !== undefined) await stat(recogniser.encoder);
  } catch (error) {
    throw notLoadable(modelsDir, error);
  }
}

function notLoadable(modelsDir: string, cause: unknown): JobError {
  return new JobError(
    'tool_missing',
    `The speech models can not be loaded; the operator must check SPEECH_MODELS_DIR (${modelsDir}) by \`npm run models -- verify\`.`,
    { cause },
  );
}

/** The process failed by itself, which was not ended for taking too long. */
function isFailure(error: unknown): boolean {
  return error instanceof JobError && error.code === 'internal' && !(error.cause instanceof RunTimeoutError);
}

function languageIn(lang: string, recogniser: Recogniser | undefined): string | undefined {
  if (recogniser?.kind !== 'whisper') return undefined;
  return recogniser.isMultilingual ? heardLanguage(lang) : 'en';
}
