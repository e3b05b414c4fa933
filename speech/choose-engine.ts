import type { Missing, SpeechEngine } from './speech-engine.ts';
import { createSherpaEngine } from './sherpa.ts';
import { CATALOGUE, DEFAULT_MODEL } from './models/catalogue.ts';
import { findModel, findSherpaModels, findVoiceModels, findVadModel } from './models/find-models.ts';
import type { SherpaSettings } from './sherpa/run-analysis.ts';
import type { SpeechSettings } from './speech-settings.ts';
import { createWhisperEngine } from './whisper.ts';

/** The upper limit of one step. Steps whose duration can be estimated have lower limits. */
export const SPEECH_TIMEOUT_MS = 4 * 3_600_000;

export type SpeechConfig = SpeechSettings & {
  readonly speechModelsDir: string;
};

export type Speech = { readonly engine: SpeechEngine; readonly vadModel: string } | Missing;

type Create = (config: SpeechConfig, workFolder: string) => Promise<SpeechEngine | Missing>;

export type EngineName = Exclude<SpeechSettings['SPEECH_ENGINE'], 'auto'>;

/** For `auto`, a server that is configured, otherwise the engine of SPEECH_MODEL. */
export function engineOf({ SPEECH_ENGINE, SPEECH_OPENAI_URL, SPEECH_MODEL }: SpeechConfig): EngineName {
  if (SPEECH_ENGINE !== 'auto') return SPEECH_ENGINE;
  if (SPEECH_OPENAI_URL !== undefined) return 'openai';
  return CATALOGUE.find(({ name }) => name === SPEECH_MODEL)?.engine ?? 'whisper';
}

const ENGINES: Readonly<Record<EngineName, Create>> = {
  async whisper(config, workFolder) {
    const { SPEECH_PYTHON_PATH: python, SPEECH_MODEL: name = DEFAULT_MODEL, SPEECH_DEVICE, speechModelsDir } = config;
    if (python === undefined) {
      return { missing: 'The whisper speech engine needs SPEECH_PYTHON_PATH, which is not set.' };
    }
    const model = await findModel(config, 'whisper', { setting: 'SPEECH_MODEL', name });
    if ('missing' in model) return model;
    const voices = await voicesOf(config, workFolder);
    if ('missing' in voices) return voices;
    const settings = {
      ...{ python, model: name, modelFolder: model.folder, modelsDir: speechModelsDir, languages: model.languages },
      // One process transcribes all windows, one after another.
      threads: config.SPEECH_THREADS * config.MAX_SPEECH_WINDOWS,
      ...{ device: SPEECH_DEVICE, workFolder },
    };
    return createWhisperEngine(settings, voices);
  },

  async sherpa(config, workFolder) {
    const models = await findSherpaModels(config);
    return 'missing' in models ? models : sherpaOf(models, config, workFolder);
  },

  async openai(config, workFolder) {
    if (config.SPEECH_OPENAI_URL === undefined) {
      return { missing: 'The openai speech engine needs SPEECH_OPENAI_URL, which is not set.' };
    }
    const voices = await voicesOf(config, workFolder);
    if ('missing' in voices) return voices;
    const { createOpenaiEngine } = await import('./openai/openai-engine.ts');
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
};

export async function chooseSpeech(config: SpeechConfig, workFolder: string): Promise<Speech> {
  const engine = await ENGINES[engineOf(config)](config, workFolder);
  if ('missing' in engine) return engine;
  const vadModel = config.SPEECH_VAD_MODEL_PATH ?? (await findVadModel(config.speechModelsDir));
  if (vadModel !== undefined) return { engine, vadModel };
  return {
    missing: `Speech cannot be detected: SPEECH_VAD_MODEL_PATH is not set, and SPEECH_MODELS_DIR (${config.speechModelsDir}) does not contain silero-vad.`,
  };
}

/** The voices of an engine that only transcribes. */
async function voicesOf(config: SpeechConfig, workFolder: string): Promise<SpeechEngine | Missing> {
  const models = await findVoiceModels(config);
  return 'missing' in models ? models : sherpaOf(models, config, workFolder);
}

function sherpaOf(models: SherpaSettings['models'], config: SpeechConfig, workFolder: string): SpeechEngine {
  return createSherpaEngine({
    models,
    workFolder,
    timeoutMs: SPEECH_TIMEOUT_MS,
    threads: config.SPEECH_THREADS,
  });
}
