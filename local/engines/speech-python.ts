import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint } from './cache.ts';
import type { Setup } from './environment.ts';
import { capture, fromSetting } from './programs.ts';
import { privatePython, PYTHON_HINT, pythonIn } from './python.ts';
import { givenBy, inCache, type Tool } from './strategies.ts';

const REQUIREMENTS = fileURLToPath(new URL('./speech-requirements.txt', import.meta.url));
/** Does not import silero_vad, which needs PyTorch. */
const FIND_MODEL =
  'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("silero_vad").origin), "data", "silero_vad.onnx"))';
const IMPORTS = 'import numpy, pocketsphinx';

/** Absolute paths. */
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
