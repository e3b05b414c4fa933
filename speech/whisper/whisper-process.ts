import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { failureFor } from '../../contract/failures.ts';
import type { Word } from '../../contract/speech-results.ts';
import { startDeadline } from '../../runtime/deadline.ts';
import { JobError } from '../../runtime/job-error.ts';
import { bareEnvironment } from '../../runtime/subprocess/bare-environment.ts';
import { RunKilledError } from '../../runtime/subprocess/run-program.ts';
import { startWarmProcess, type WarmProcess } from '../../runtime/subprocess/warm-process.ts';
import { spanSchema } from '../json-lines.ts';
import { analysisTimeoutMs } from '../speech-engine.ts';

const SCRIPT = fileURLToPath(new URL('./transcribe.py', import.meta.url));
/** A large model takes minutes to load from a slow disk. */
const LOAD_TIMEOUT_MS = 5 * 60_000;
/** Whisper reports after each 30 s of audio. */
const SILENT_TIMEOUT_MS = analysisTimeoutMs({ startSeconds: 0, endSeconds: 30 });
/** A process that has grown by this much since its start is replaced before the next window. */
const MAX_GROWTH_BYTES = 1024 ** 3;

const loadedSchema = z.union([
  z.object({ device: z.string(), residentBytes: z.number() }),
  z.object({ device: z.string(), unloadable: z.string() }),
]);
const answerSchema = z.object({
  words: z.array(spanSchema.extend({ text: z.string(), confidence: z.number() })),
  share: z.number(),
  ended: z.object({ language: z.string(), languageProbability: z.number(), residentBytes: z.number() }).optional(),
});

export interface WhisperSettings {
  /** Absolute path of a Python that has the packages of local/engines/speech-requirements.txt. */
  readonly python: string;
  readonly modelFolder: string;
  readonly modelsDir: string;
  readonly device: 'auto' | 'cpu' | 'cuda';
  readonly threads: number;
  readonly workFolder: string;
}

export interface WhisperOrder {
  readonly path: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speech: readonly (readonly [number, number])[];
  readonly language?: string;
}

export interface Transcribed {
  readonly words: readonly Required<Word>[];
  /** The code of Whisper. */
  readonly language: string;
  readonly languageProbability: number;
}

interface Loaded {
  readonly process: WarmProcess;
  readonly device: string;
  readonly residentBytes: number;
}

type Report = (share: number) => void;

/** One process that keeps the model loaded, and transcribes one window after another. It is started with the first window. */
export function createWhisperProcess(settings: WhisperSettings) {
  const closing = new AbortController();
  let current: Promise<Loaded> | undefined;
  let pid: number | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const load = (): Promise<Loaded> => {
    current ??= start(settings, closing.signal).then((loaded) => {
      ({ pid } = loaded.process);
      void loaded.process.gone.then(() => {
        // Another process may have replaced it.
        if (pid !== loaded.process.pid) return;
        [current, pid] = [undefined, undefined];
      });
      return loaded;
    });
    current.catch(() => (current = undefined));
    return current;
  };
  const replace = (process: WarmProcess): void => {
    [current, pid] = [undefined, undefined];
    process.kill();
  };

  async function transcribeWindow(order: WhisperOrder, signal: AbortSignal, onProgress: Report): Promise<Transcribed> {
    signal.throwIfAborted();
    const { process, residentBytes } = await load();
    const deadline = startDeadline({ signal, timeoutMs: SILENT_TIMEOUT_MS, late: () => failed('speechStepTimeout') });
    const words: Required<Word>[] = [];
    try {
      return await new Promise((resolve, reject) => {
        const onAbort = (): void => reject(deadline.signal.reason as Error);
        if (deadline.signal.aborted) onAbort();
        deadline.signal.addEventListener('abort', onAbort);
        void process.gone.then(() => {
          const reason = process.reason();
          // Another attempt may succeed.
          reject(reason instanceof RunKilledError ? reason : failed('speechStepFailed', reason));
        });
        process.onAnswer((line) => {
          deadline.restart();
          const { data, error } = answerSchema.safeParse(line);
          if (data === undefined) {
            reject(failed('speechStepFailed', error));
            return;
          }
          words.push(...wholeWords(data.words));
          onProgress(data.share);
          if (data.ended === undefined) return;
          const { residentBytes: now, ...found } = data.ended;
          if (now > residentBytes + MAX_GROWTH_BYTES) replace(process);
          resolve({ words, ...found });
        });
        process.send(order);
      });
    } catch (error) {
      // The process may be in the middle of the window.
      replace(process);
      throw error;
    } finally {
      deadline.end();
    }
  }

  return {
    /** @throws the signal's reason; JobError `tool_missing`, `internal`; RunKilledError if the process was killed */
    async transcribe(order: WhisperOrder, signal: AbortSignal, onProgress: Report): Promise<Transcribed> {
      signal.throwIfAborted();
      const result = last.then(() => transcribeWindow(order, signal, onProgress));
      last = result.catch(() => undefined);
      const deadline = startDeadline({ signal });
      try {
        // A window that waits for another one is cancelled at once.
        const cancelled = new Promise<never>((_, reject) => {
          deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason as Error));
        });
        return await Promise.race([result, cancelled]);
      } finally {
        deadline.end();
      }
    },
    /** The ID of the process; undefined if no model is loaded. */
    pid: (): number | undefined => pid,
    /** Loads the model, as the first window does. @returns the device, such as `cpu` */
    warmUp: async (): Promise<string> => (await load()).device,
    async close(): Promise<void> {
      closing.abort();
      const loaded = await current?.catch(() => undefined);
      await loaded?.process.close();
    },
  };
}

async function start(
  { python, modelFolder, modelsDir, device, threads, workFolder }: WhisperSettings,
  signal: AbortSignal,
) {
  const process = await startWarmProcess({
    program: python,
    args: ['-E', '-s', '-B', SCRIPT, modelFolder, device, String(threads)],
    ...{ cwd: workFolder, env: { ...bareEnvironment(python), HF_HUB_OFFLINE: '1' } },
    ...{ readyWithinMs: LOAD_TIMEOUT_MS, signal },
  }).catch((error: unknown) => {
    throw error instanceof RunKilledError ? error : new JobError('speechToolMissing', { cause: error });
  });
  const loaded = loadedSchema.parse(process.ready);
  if (!('unloadable' in loaded)) return { process, ...loaded };
  const failure =
    loaded.device === 'cuda' ? failureFor('speechDeviceUnusable') : failureFor('speechModelsUnreadable', { modelsDir });
  throw new JobError(failure, { cause: new Error(loaded.unloadable) });
}

function failed(key: 'speechStepFailed' | 'speechStepTimeout', cause?: Error): JobError {
  return new JobError(failureFor(key, { step: 'the transcription' }), { cause });
}

/** Joins the characters of languages that are written without spaces to clauses. */
function wholeWords(pieces: readonly Required<Word>[]): Required<Word>[] {
  const words: Required<Word>[] = [];
  for (const piece of pieces) {
    const last = words.at(-1);
    if (last === undefined || /^\s/.test(piece.text) || /[\s。！？，、；：]$/u.test(last.text)) words.push(piece);
    else {
      const confidence = Math.min(last.confidence, piece.confidence);
      words[words.length - 1] = { ...last, text: last.text + piece.text, endSeconds: piece.endSeconds, confidence };
    }
  }
  return words.map((word) => ({ ...word, text: word.text.trim() })).filter(({ text }) => text !== '');
}
