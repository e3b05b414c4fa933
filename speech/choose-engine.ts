import { createBuiltinEngine } from './builtin.ts';
import type { SpeechEngine } from './engine.ts';
import { createOpenaiEngine, type OpenaiSettings } from './openai/openai-engine.ts';
import { createSherpaEngine } from './sherpa.ts';
import { findSherpaModels, findSherpaVoices, findVadModel, type SherpaModelSettings } from './sherpa/find-models.ts';
import type { SherpaSettings } from './sherpa/settings.ts';

export interface SpeechSettings {
  readonly engine: 'auto' | 'sherpa' | 'openai' | 'builtin';
  /** Absolute path of Silero's ONNX file; by default the one among the models. */
  readonly vadModel: string | undefined;
  /** Absolute path of a Python for the builtin engine. */
  readonly python: string | undefined;
  /** Absent when no server is named. */
  readonly openai: OpenaiSettings | undefined;
  readonly sherpa: SherpaModelSettings & Pick<SherpaSettings, 'threads' | 'speakerDistance'>;
  /** Absolute path of a folder for short-lived files. */
  readonly workFolder: string;
  /** Wall-clock limit of a window. */
  readonly timeoutMs: number;
}

/** What hears the words and voices; `missing`: nothing does, for a reason that names the settings. */
export type Speech = { readonly engine: SpeechEngine; readonly vadModel: string } | { readonly missing: string };

type Choice = SpeechEngine | { readonly missing: string };

/** The engine that is asked for; for `auto` the best one that is set up: sherpa, openai, builtin. */
export async function chooseSpeech(settings: SpeechSettings): Promise<Speech> {
  const choice = await CHOICES[settings.engine](settings);
  if ('missing' in choice) return choice;
  const vadModel = settings.vadModel ?? (await findVadModel(settings.sherpa.modelsDir));
  if (vadModel !== undefined) return { engine: choice, vadModel };
  return {
    missing: `Speech can not be found in audio: SPEECH_VAD_MODEL_PATH is not set, and there is no silero-vad in SPEECH_MODELS_DIR (${settings.sherpa.modelsDir}).`,
  };
}

const CHOICES: Readonly<Record<SpeechSettings['engine'], (settings: SpeechSettings) => Promise<Choice>>> = {
  sherpa,
  openai,
  builtin: (settings) => Promise.resolve(builtin(settings)),
  async auto(settings) {
    const found = await sherpa(settings);
    if (!('missing' in found)) return found;
    // A server that is named is meant: what it lacks is an error, and no reason to take something else.
    return settings.openai === undefined ? builtin(settings) : openai(settings);
  },
};

async function sherpa(settings: SpeechSettings): Promise<Choice> {
  const models = await findSherpaModels(settings.sherpa);
  return 'missing' in models ? models : createSherpaEngine({ ...settings, ...settings.sherpa, models });
}

async function openai(settings: SpeechSettings): Promise<Choice> {
  if (settings.openai === undefined) {
    return { missing: 'The openai speech engine needs SPEECH_OPENAI_URL, which is not set.' };
  }
  const models = await findSherpaVoices(settings.sherpa);
  const voices =
    'missing' in models
      ? builtin(settings, { words: false })
      : createSherpaEngine({ ...settings, ...settings.sherpa, models });
  return 'missing' in voices ? voices : createOpenaiEngine(settings.openai, voices);
}

function builtin(
  { python, workFolder, timeoutMs }: SpeechSettings,
  options: { readonly words?: boolean } = {},
): Choice {
  if (python === undefined) return { missing: 'The builtin speech engine needs SPEECH_PYTHON_PATH, which is not set.' };
  return createBuiltinEngine({ python, workFolder, timeoutMs, ...options });
}
