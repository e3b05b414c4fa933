import { join } from 'node:path';
import { installOnce } from './cache.ts';
import type { Env, Log } from './environment.ts';
import { capture, findOnPath, isAtLeast, step } from './programs.ts';
import type { Strategy } from './strategies.ts';

const OLDEST_PYTHON = '3.11';
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
/** Only what a complete list of packages names, and only with the hashes that it names. */
export const PIP_INSTALL = '-m pip install --quiet --no-input --only-binary=:all: --no-deps --require-hashes'.split(
  ' ',
);
export const PYTHON_HINT = `Python ${OLDEST_PYTHON} or newer with its venv module on PATH, and a Python package index`;

export interface PythonOptions {
  /** Of the cache; its name carries a fingerprint of the list. */
  readonly folder: string;
  /** File with the complete list of packages with their hashes. */
  readonly requirements: string;
  readonly what: string;
  readonly env: Env;
  readonly log: Log;
  /** Adds to the folder, and checks it. */
  readonly finish?: (staging: string) => Promise<void>;
}

/** Makes a Python environment of its own, unless it is there. @returns its interpreter */
export async function installPython(options: PythonOptions): Promise<string> {
  const { folder, requirements, what, env, log, finish } = options;
  await installOnce(folder, async (staging) => {
    const python = await findPython(env);
    const common = { cwd: staging, env, log };
    await step([python, '-m', 'venv', staging], { ...common, what: `making a Python environment with ${python}` });
    const pip = [...PIP_INSTALL, '-r', requirements];
    await step([pythonIn(staging), ...pip], { ...common, what: `installing ${what}` });
    await finish?.(staging);
  });
  return pythonIn(folder);
}

/** The same as a way to get a tool. @param options.use what is made of the interpreter */
export function privatePython<T>(
  options: Omit<PythonOptions, 'log'> & { readonly hint?: string; readonly use: (python: string) => Promise<T> },
): Strategy<T> {
  return {
    name: 'private Python environment',
    hint: options.hint ?? PYTHON_HINT,
    possible: () => findPython(options.env),
    attempt: async (log) => options.use(await installPython({ ...options, log })),
  };
}

/** The interpreter of an environment. */
export function pythonIn(folder: string): string {
  return join(folder, 'bin', 'python3');
}

/** A Python of this machine that can make environments. @throws when there is none that is new enough */
export async function findPython(env: Env): Promise<string> {
  const seen: string[] = [];
  for (const name of PYTHONS) {
    const path = await findOnPath(name, env);
    if (path === undefined) continue;
    // Through sys.executable, as the one on PATH may be a shim that picks another version in another folder.
    const ask = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2]); print(sys.executable)';
    const told = await capture(path, ['-c', ask], env).catch((error: unknown) =>
      error instanceof Error ? `unusable (${error.message})` : 'unusable',
    );
    const [version = '', executable = path] = told.split('\n');
    if (/^\d+\.\d+$/.test(version) && isAtLeast(version, OLDEST_PYTHON)) return executable;
    seen.push(`${path} is ${version}`);
  }
  throw new Error(
    seen.length === 0 ? 'python3 is not on PATH' : `no Python ${OLDEST_PYTHON} or newer with venv: ${seen.join('; ')}`,
  );
}
