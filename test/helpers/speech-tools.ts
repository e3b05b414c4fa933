import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { loadConfig } from '../../config.ts';
import { ensureModel, speechPython, type SpeechTools } from '../../local/engines/speech-setup.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { DEFAULT_MODEL } from '../../speech/models/catalogue.ts';
import { findVoiceModels } from '../../speech/models/find-models.ts';
import { prepareWav } from '../../speech/prepare.ts';
import { createSherpaEngine } from '../../speech/sherpa.ts';
import type { SpeechEngine } from '../../speech/speech-engine.ts';
import { createWhisperEngine, type WhisperEngineSettings } from '../../speech/whisper.ts';
import { runTool } from './media.ts';

const SET_UP_TIMEOUT_MS = 20 * 60_000;

export interface SpeechBench {
  readonly folder: string;
  readonly tools: SpeechTools;
  /** Has the default model. */
  readonly modelsDir: string;
  /** Makes an audio file from ffmpeg arguments. @returns its path */
  readonly make: (name: string, ...args: string[]) => Promise<string>;
  /** Prepares it for the speech tools. @returns the path of the WAV file */
  readonly prepare: (input: string) => Promise<string>;
}

/**
 * The speech tools, set up in the cache when missing, and a folder for audio. Only the files that need them ask: the first
 * time takes about a minute.
 */
export function useSpeechTools(): SpeechBench {
  let folder = '';
  let tools: SpeechTools | undefined;
  let modelsDir = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-speech-'));
    const log = (line: string): void => console.log(line);
    const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
    tools = (await ensure(speechPython(setup), log)).value;
    modelsDir = await ensureModel(setup, loadConfig({ DATA_DIR: folder }));
  }, SET_UP_TIMEOUT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    get tools() {
      return tools!;
    },
    get modelsDir() {
      return modelsDir;
    },
    make: async (name, ...args) => {
      await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...args, join(folder, name)]);
      return join(folder, name);
    },
    prepare: async (input) => {
      const output = join(folder, `${String(Math.random()).slice(2)}.wav`);
      await prepareWav(input, output, {
        ffmpeg: inject('tools').ffmpeg,
        signal: new AbortController().signal,
        timeoutMs: 60_000,
        maxSeconds: 36_000,
      });
      return output;
    },
  };
}

/** The engine that detects voices, with the models that come with the service. */
export async function voicesOf({ folder: workFolder }: SpeechBench): Promise<SpeechEngine> {
  const models = await findVoiceModels({ speechModelsDir: workFolder });
  if ('missing' in models) throw new Error(models.missing);
  return createSherpaEngine({ models, workFolder, timeoutMs: 120_000, threads: 1 });
}

/** The whisper engine with its default model. The caller closes it. */
export function whisperOf(
  bench: SpeechBench,
  voices: SpeechEngine,
  settings: Partial<WhisperEngineSettings> = {},
): SpeechEngine {
  const { python } = bench.tools;
  const { modelsDir, folder: workFolder } = bench;
  const model = {
    model: DEFAULT_MODEL,
    modelFolder: join(modelsDir, DEFAULT_MODEL),
    modelsDir,
    languages: ['en', 'de'],
  };
  return createWhisperEngine({ python, ...model, device: 'cpu', threads: 2, workFolder, ...settings }, voices);
}
