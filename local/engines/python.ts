import { join } from 'node:path';
import { installOnce } from './cache.ts';
import type { Env, Log } from './environment.ts';
import { capture, findOnPath, isAtLeast, step } from './programs.ts';
import type { Strategy } from './strategies.ts';

const OLDEST_PYTHON = '3.11';
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
/** Installs only listed packages, with the listed hashes. */
export const PIP_INSTALL = '-m pip install --quiet --no-input --only-binary=:all: --no-deps --require-hashes'.split(
  ' ',
);
export const PYTHON_HINT = `Python ${OLDEST_PYTHON} or newer with its venv module on PATH, and a Python package index`;

export interface PythonOptions {
  readonly folder: string;
  readonly requirements: string;
  readonly what: string;
  readonly env: Env;
  readonly log: Log;
  readonly finish?: (staging: string) => Promise<void>;
}

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

export function pythonIn(folder: string): string {
  return join(folder, 'bin', 'python3');
}

export async function findPython(env: Env): Promise<string> {
  const seen: string[] = [];
  for (const name of PYTHONS) {
    const path = await findOnPath(name, env);
    if (path === undefined) continue;
    // The program on PATH may be a shim, so sys.executable is used.
    const script = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2]); print(sys.executable)';
    const output = await capture(path, ['-c', script], env).catch((error: unknown) =>
      error instanceof Error ? `unusable (${error.message})` : 'unusable',
    );
    const [version = '', executable = path] = output.split('\n');
    if (/^\d+\.\d+$/.test(version) && isAtLeast(version, OLDEST_PYTHON)) return executable;
    seen.push(`${path} is ${version}`);
  }
  throw new Error(
    seen.length === 0 ? 'python3 is not on PATH' : `no Python ${OLDEST_PYTHON} or newer with venv: ${seen.join('; ')}`,
  );
}
