import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint, installOnce } from './cache.ts';
import { capture, fromSetting, step, type Env } from './programs.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Log, type Way } from './ways.ts';
import { findPython } from './ytdlp.ts';

const REQUIREMENTS = fileURLToPath(new URL('./speech-requirements.txt', import.meta.url));
const PIP_TIMEOUT_MS = 20 * 60_000;
/** Without importing silero_vad itself, which would ask for PyTorch. */
const FIND_MODEL =
  'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("silero_vad").origin), "data", "silero_vad.onnx"))';
const IMPORTS = 'import numpy, scipy.linalg, scipy.fft, sklearn.cluster, sklearn.mixture, pocketsphinx; ';

/** What the search for speech and the builtin engine run on; absolute paths. */
export interface SpeechTools {
  /** A Python with the packages of speech-requirements.txt. */
  readonly python: string;
  /** Silero's voice activity model. */
  readonly vadModel: string;
}

/** Finds or sets up the Python of the speech tools. @throws {NoWayError}; an error naming SPEECH_PYTHON_PATH */
export async function ensureSpeechPython(setup: Setup): Promise<Found<SpeechTools>> {
  const given = setup.env['SPEECH_PYTHON_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '') {
    const python = await fromSetting('SPEECH_PYTHON_PATH', given, setup.env);
    return { way: 'SPEECH_PYTHON_PATH', value: await checked(python, setup.env) };
  }
  return firstWay('speech', [...speechFound(setup), ...speechInstalled(setup)], setup.log);
}

/** Ways that only look. */
export function speechFound({ env, cacheDir }: Setup): Way<SpeechTools>[] {
  return [
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        const python = pythonOf(cacheDir);
        if (!(await exists(python))) throw new Error('not there yet');
        return { python, vadModel: await modelOf(python, env) };
      },
    },
  ];
}

/** Ways that install into the cache. */
export function speechInstalled({ env, cacheDir }: Setup): Way<SpeechTools>[] {
  return [
    {
      name: 'private Python environment',
      hint: 'Python 3.11 or newer with its venv module on PATH, and a Python package index; or set SPEECH_PYTHON_PATH',
      possible: () => findPython(env),
      attempt: async (log) => {
        await installPython({
          folder: folderOf(cacheDir),
          requirements: REQUIREMENTS,
          what: 'speech packages',
          env,
          log,
        });
        return checked(pythonOf(cacheDir), env);
      },
    },
  ];
}

/**
 * Makes a Python environment from a complete list of packages with hashes, unless it is there.
 *
 * @returns its interpreter
 */
export async function installPython({
  folder,
  requirements,
  what,
  env,
  log,
}: {
  readonly folder: string;
  readonly requirements: string;
  readonly what: string;
  readonly env: Env;
  readonly log: Log;
}): Promise<string> {
  await installOnce(folder, async (staging) => {
    const python = await findPython(env);
    const common = { cwd: staging, env, log, timeoutMs: PIP_TIMEOUT_MS };
    await step([python, '-m', 'venv', staging], { ...common, what: `making a Python environment with ${python}` });
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-input',
      '--only-binary=:all:',
      '--no-deps',
      '--require-hashes',
    ];
    await step([join(staging, 'bin', 'python3'), ...pip, '-r', requirements], {
      ...common,
      what: `installing ${what}`,
    });
  });
  return join(folder, 'bin', 'python3');
}

/** The packages load. @throws when one does not */
async function checked(python: string, env: Env): Promise<SpeechTools> {
  await capture(python, ['-E', '-s', '-c', IMPORTS], env);
  return { python, vadModel: await modelOf(python, env) };
}

async function modelOf(python: string, env: Env): Promise<string> {
  const path = await capture(python, ['-E', '-s', '-c', FIND_MODEL], env);
  if (!(await exists(path))) throw new Error(`${python} has no silero_vad with its model`);
  return path;
}

function folderOf(cacheDir: string): string {
  return join(cacheDir, `speech-python-${fingerprint(REQUIREMENTS)}`);
}

function pythonOf(cacheDir: string): string {
  return join(folderOf(cacheDir), 'bin', 'python3');
}
