import { createBuiltinEngine } from './builtin.ts';
import type { Missing, SpeechEngine } from './speech-engine.ts';
import { createOpenaiEngine } from './openai/openai-engine.ts';
import { createSherpaEngine } from './sherpa.ts';
import { findSherpaModels, findSherpaVoices, findVadModel } from './sherpa/find-models.ts';
import type { SherpaSettings } from './sherpa/run-analysis.ts';
import type { SpeechSettings } from './speech-settings.ts';

/** The upper limit of one step. Steps whose duration can be estimated have lower limits. */
export const SPEECH_TIMEOUT_MS = 4 * 3_600_000;

export type SpeechConfig = SpeechSettings & {
  readonly speechModelsDir: string;
};

export type Speech = { readonly engine: SpeechEngine; readonly vadModel: string } | Missing;

type Create = (config: SpeechConfig, workFolder: string) => Promise<SpeechEngine | Missing>;

const ENGINES: Readonly<Record<SpeechSettings['SPEECH_ENGINE'], Create>> = {
  async sherpa(config, workFolder) {
    const models = await findSherpaModels(config);
    return 'missing' in models ? models : sherpaOf(models, config, workFolder);
  },

  async openai(config, workFolder) {
    if (config.SPEECH_OPENAI_URL === undefined) {
      return { missing: 'The openai speech engine needs SPEECH_OPENAI_URL, which is not set.' };
    }
    const models = await findSherpaVoices(config);
    const voices = 'missing' in models ? builtinOf(config, workFolder, false) : sherpaOf(models, config, workFolder);
    if ('missing' in voices) return voices;
    const server = {
      baseUrl: config.SPEECH_OPENAI_URL,
      apiKey: config.SPEECH_OPENAI_KEY,
      model: config.SPEECH_OPENAI_MODEL,
      format: config.SPEECH_OPENAI_FORMAT,
      maxRequestSeconds: config.SPEECH_OPENAI_MAX_SECONDS,
      timeoutMs: SPEECH_TIMEOUT_MS,
    };
    return createOpenaiEngine(server, voices);
  },

  builtin: (config, workFolder) => Promise.resolve(builtinOf(config, workFolder, true)),

  async auto(config, workFolder) {
    const found = await ENGINES.sherpa(config, workFolder);
    if (!('missing' in found)) return found;
    // A configured server that is incomplete is an error and not a reason to use another engine.
    return ENGINES[config.SPEECH_OPENAI_URL === undefined ? 'builtin' : 'openai'](config, workFolder);
  },
};

/** For `auto`, the first engine that is set up: sherpa, openai, builtin. */
export async function chooseSpeech(config: SpeechConfig, workFolder: string): Promise<Speech> {
  const engine = await ENGINES[config.SPEECH_ENGINE](config, workFolder);
  if ('missing' in engine) return engine;
  const vadModel = config.SPEECH_VAD_MODEL_PATH ?? (await findVadModel(config.speechModelsDir));
  if (vadModel !== undefined) return { engine, vadModel };
  return {
    missing: `Speech cannot be detected: SPEECH_VAD_MODEL_PATH is not set, and SPEECH_MODELS_DIR (${config.speechModelsDir}) does not contain silero-vad.`,
  };
}

function sherpaOf(models: SherpaSettings['models'], config: SpeechConfig, workFolder: string): SpeechEngine {
  return createSherpaEngine({
    models,
    workFolder,
    timeoutMs: SPEECH_TIMEOUT_MS,
    threads: config.SPEECH_THREADS,
    speakerDistance: config.SPEECH_SPEAKER_DISTANCE,
  });
}

function builtinOf(config: SpeechConfig, workFolder: string, words: boolean): SpeechEngine | Missing {
  const python = config.SPEECH_PYTHON_PATH;
  if (python === undefined) return { missing: 'The builtin speech engine needs SPEECH_PYTHON_PATH, which is not set.' };
  return createBuiltinEngine({ python, workFolder, timeoutMs: SPEECH_TIMEOUT_MS, words });
}
