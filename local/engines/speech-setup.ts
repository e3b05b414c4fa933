import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseSpeech, type SpeechConfig } from '../../speech/choose-engine.ts';
import { DEFAULT_MODELS } from '../../speech/models/catalogue.ts';
import { runModels } from '../../speech/models/model-commands.ts';
import { reachReleases } from '../../speech/models/install.ts';
import type { Log, Setup } from './environment.ts';
import { exists, fingerprint } from './cache.ts';
import { capture, fromSetting } from './programs.ts';
import { privatePython, PYTHON_HINT, pythonIn } from './python.ts';
import { givenBy, inCache, type Tool } from './strategies.ts';

/** A host that drops packets would delay every start. */
const ANSWER_WITHIN_MS = 10_000;

/** Whether an engine is set up that needs no Python packages. */
export async function hearsWithoutPython(config: SpeechConfig): Promise<boolean> {
  // Nothing is analysed, so no work folder is needed.
  return !('missing' in (await chooseSpeech({ ...config, SPEECH_PYTHON_PATH: undefined }, '')));
}

/** Whether no setting chooses an engine, so that models may be fetched. */
export function isUndecided({ SPEECH_ENGINE, SPEECH_OPENAI_URL, SPEECH_PYTHON_PATH }: SpeechConfig): boolean {
  return SPEECH_ENGINE === 'auto' && SPEECH_OPENAI_URL === undefined && SPEECH_PYTHON_PATH === undefined;
}

/** Installs a small set of models for the sherpa engine. A failure is logged, and a later start tries again. */
export async function fetchStarterModels(config: SpeechConfig, log: Log): Promise<void> {
  const { speechModelsDir: modelsDir, SPEECH_MODELS_URL } = config;
  const baseUrl = SPEECH_MODELS_URL.replace(/(?<!\/)\/+$/, '');
  try {
    await reachReleases(baseUrl, AbortSignal.timeout(ANSWER_WITHIN_MS));
    log(`speech: fetching models into ${modelsDir}, about 250 MB, once (SPEECH_ENGINE=builtin does without)`);
    const say = (line: string): void => log(`speech: ${line}`);
    const { signal } = new AbortController();
    await runModels('install', DEFAULT_MODELS, { modelsDir, baseUrl, isLive: false, say, signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`speech: no models for better words and speakers, so the builtin engine is used: ${why}`);
  }
}

const REQUIREMENTS = fileURLToPath(new URL('./speech-requirements.txt', import.meta.url));
/** Does not import silero_vad, which needs PyTorch. */
const FIND_MODEL =
  'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("silero_vad").origin), "data", "silero_vad.onnx"))';
const IMPORTS = 'import numpy, pocketsphinx';

export interface SpeechTools {
  readonly python: string;
  readonly vadModel: string;
}

/** The Python of voice activity detection and of the builtin engine. */
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
        ...{ folder, requirements: REQUIREMENTS, what: 'speech packages', env },
        hint: `${PYTHON_HINT}; or set ${setting}`,
        use: checked,
      }),
    ],
    describe: ({ python }) => Promise.resolve({ version: 'for speaker labels', where: python }),
  };
}
