import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { JobError } from '../../runtime/job-error.ts';
import { optional } from '../../runtime/optional.ts';
import type { Span, VoiceSegment, WindowResult, Word } from '../../contract/speech.ts';
import { toMilliseconds } from '../../contract/times.ts';
import { bareEnvironment } from '../../runtime/subprocess/environment.ts';
import { RunTimeoutError } from '../../runtime/subprocess/run.ts';
import type { AnalyseOptions, AudioWindow } from '../engine.ts';
import { runJsonLines } from '../json-lines.ts';
import { languageOf } from '../language-codes.ts';
import type { Recogniser } from '../models/inspect.ts';
import { readLock, wrongSizeIn } from '../models/models-folder.ts';
import { readWavLayout } from '../wav.ts';
import { cutChunks } from './chunks.ts';
import type { SherpaModels, VoiceModels } from './find-models.ts';
import { heardLanguage } from './languages.ts';
import { wordsOf } from './words-of.ts';

const CHILD = fileURLToPath(new URL('./analyse.mjs', import.meta.url));
/** Around the speech of a chunk: the search for speech cuts soft sounds off. */
const MARGIN_SECONDS = 0.2;

const span = { startSeconds: z.number(), endSeconds: z.number() };
const heard = z.object({
  chunk: z.int().min(0),
  lang: z.string(),
  text: z.string(),
  tokens: z.array(z.string()),
  timestamps: z.array(z.number()),
  durations: z.array(z.number()),
  segments: z.array(z.object({ text: z.string(), startSeconds: z.number(), durationSeconds: z.number() })),
});
const lineSchema = z.union([
  z.object({ progress: z.number() }),
  z.object({ loaded: z.literal(true) }),
  z.object({ heard }),
  z.object({ voice: z.object({ ...span, localSpeaker: z.int().min(0), embedding: z.array(z.number()) }) }),
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
  const { models, threads, workFolder, timeoutMs, language, signal, onProgress } = options;
  const recogniser = 'recogniser' in models ? models.recogniser : undefined;
  await checkModels(models.modelsDir, models.names, recogniser);
  const chunks = cutChunks(window.speech);
  const sampled = chunks.map((chunk) => withMargins(chunk, window));
  const { offsetBytes, lengthBytes } = await readWavLayout(window.wavPath);
  const question = {
    wav: { path: window.wavPath, offsetBytes, lengthBytes },
    startSeconds: window.startSeconds,
    endSeconds: window.endSeconds,
    chunks: sampled.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds].map(toMilliseconds)),
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
        const [chunk, part] = [chunks[line.heard.chunk], sampled[line.heard.chunk]];
        if (chunk === undefined || part === undefined) throw new Error(`there is no chunk ${line.heard.chunk}`);
        const own = wordsOf(line.heard, chunk, part);
        words.push(...own);
        results.push({ words: own, voices: [], ...optional('language', languageIn(line.heard.lang, recogniser)) });
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
async function checkModels(
  modelsDir: string,
  names: readonly string[],
  recogniser: Recogniser | undefined,
): Promise<void> {
  const lock = await readLock(modelsDir).catch((error: unknown) => {
    throw notLoadable(modelsDir, error);
  });
  for (const name of names) {
    const wrong = await wrongSizeIn(modelsDir, name, lock);
    if (wrong !== undefined) throw notLoadable(modelsDir, new Error(wrong));
  }
  if (recogniser === undefined) return;
  await stat(recogniser.encoder).catch((error: unknown) => {
    throw notLoadable(modelsDir, error);
  });
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

function withMargins(chunk: Span, within: Span): Span {
  return {
    startSeconds: Math.max(within.startSeconds, chunk.startSeconds - MARGIN_SECONDS),
    endSeconds: Math.min(within.endSeconds, chunk.endSeconds + MARGIN_SECONDS),
  };
}
