import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseSpeech, engineOf, type SpeechConfig } from '../../speech/choose-engine.ts';
import { DEFAULT_MODEL, CATALOGUE } from '../../speech/models/catalogue.ts';
import { runModels } from '../../speech/models/model-commands.ts';
import { modelNamesIn } from '../../speech/models/models-folder.ts';
import type { Setup } from './environment.ts';
import { exists, fingerprint } from './cache.ts';
import { capture, fromSetting } from './programs.ts';
import { privatePython, PYTHON_HINT, pythonIn } from './python.ts';
import { ensure, givenBy, inCache, type Tool } from './strategies.ts';

const REQUIREMENTS = fileURLToPath(new URL('./speech-requirements.txt', import.meta.url));
/** This check does not import silero_vad, which needs PyTorch. */
const FIND_MODEL =
  'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("silero_vad").origin), "data", "silero_vad.onnx"))';
const IMPORTS = 'import numpy, ctranslate2, tokenizers';

/**
 * Installs the programs and models of the speech engine, and logs those that cannot be installed: other jobs work without them, and
 * a transcription reports the setting that it needs. A later start tries again.
 *
 * @returns settings for the worker
 */
export async function speechSettings(setup: Setup, config: SpeechConfig): Promise<Readonly<Record<string, string>>> {
  const { log } = setup;
  const settings: Record<string, string> = {};
  try {
    if (engineOf(config) !== 'openai') {
      const modelsDir = await ensureModel(setup, config);
      if (modelsDir !== config.speechModelsDir) settings['SPEECH_MODELS_DIR'] = modelsDir;
    }
    if (!(await isComplete({ ...config, speechModelsDir: settings['SPEECH_MODELS_DIR'] ?? config.speechModelsDir }))) {
      const { python, vadModel } = (await ensure(speechPython(setup), log)).value;
      settings['SPEECH_PYTHON_PATH'] = python;
      settings['SPEECH_VAD_MODEL_PATH'] = setup.env['SPEECH_VAD_MODEL_PATH'] || vadModel;
    }
  } catch (error) {
    log(`speech: speaker labels are off. ${error instanceof Error ? error.message : String(error)}`);
  }
  return settings;
}

/** Whether the settings and the models folder name all that the engine needs. */
export async function isComplete(config: SpeechConfig): Promise<boolean> {
  // No audio is analysed here, so no work folder is needed.
  return !('missing' in (await chooseSpeech(config, '')));
}

/** Models that are not in SPEECH_MODELS_DIR are installed in this folder, once for all data folders. */
export const sharedModelsDir = ({ cacheDir }: Pick<Setup, 'cacheDir'>): string => join(cacheDir, 'speech-models');

/** @returns the folder of the transcription model @throws if it is a model of the catalogue and cannot be downloaded */
export async function ensureModel(setup: Setup, config: SpeechConfig): Promise<string> {
  const { speechModelsDir, SPEECH_MODEL, SPEECH_MODELS_URL, SPEECH_PACKAGES_URL } = config;
  const name = SPEECH_MODEL ?? (engineOf(config) === 'sherpa' ? 'parakeet' : DEFAULT_MODEL);
  const isKnown = CATALOGUE.some((model) => model.name === name);
  if (!isKnown || (await modelNamesIn(speechModelsDir)).includes(name)) return speechModelsDir;
  const modelsDir = sharedModelsDir(setup);
  if ((await modelNamesIn(modelsDir)).includes(name)) return modelsDir;
  const startedMs = performance.now();
  const say = (line: string): void => setup.log(`speech: ${line}`);
  await runModels('install', [name], {
    ...{ modelsDir, hubUrl: SPEECH_MODELS_URL, packagesUrl: SPEECH_PACKAGES_URL, isLive: false, say },
    signal: new AbortController().signal,
  });
  say(`${name} was installed in ${modelsDir} in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  return modelsDir;
}

export interface SpeechTools {
  readonly python: string;
  readonly vadModel: string;
}

/** The Python of the whisper engine, of voices and of voice activity detection. */
export function speechPython({ env, cacheDir }: Setup): Tool<SpeechTools> {
  const folder = join(cacheDir, `speech-python-${fingerprint(REQUIREMENTS)}`);
  const withModel = async (python: string): Promise<SpeechTools> => {
    const vadModel = await capture(python, ['-E', '-s', '-c', FIND_MODEL], env);
    if (!(await exists(vadModel))) throw new Error(`${python} has no silero_vad with its model`);
    return { python, vadModel };
  };
  const checked = async (python: string): Promise<SpeechTools> => {
    await capture(python, ['-E', '-s', '-c', IMPORTS], env);
    return withModel(python);
  };
  const setting = 'SPEECH_PYTHON_PATH';
  return {
    name: 'speech',
    given: givenBy(env, setting, async (value) => checked(await fromSetting(setting, value, env))),
    found: [inCache([pythonIn(folder)], withModel)],
    installed: [
      privatePython({
        ...{ folder, requirements: REQUIREMENTS, what: 'speech packages (110 MB)', env },
        hint: `${PYTHON_HINT}; or set ${setting}`,
        use: checked,
      }),
    ],
    describe: ({ python }) => Promise.resolve({ version: 'for speaker labels', where: python }),
  };
}
