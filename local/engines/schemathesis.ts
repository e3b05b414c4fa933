import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint } from './cache.ts';
import { capture } from './programs.ts';
import { installPython } from './speech-python.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found } from './ways.ts';
import { findPython } from './ytdlp.ts';

const REQUIREMENTS = fileURLToPath(new URL('./schemathesis-requirements.txt', import.meta.url));

/** Path of schemathesis, set up when needed. Only the fuzzing of the OpenAPI document uses it. @throws {NoWayError} */
export async function ensureSchemathesis(setup: Setup): Promise<Found<string>> {
  const { env, cacheDir, log } = setup;
  const folder = join(cacheDir, `schemathesis-${fingerprint(REQUIREMENTS)}`);
  // The launcher of pip names the folder in which it was made, which is moved afterwards.
  const python = join(folder, 'bin', 'python3');
  const checked = async (): Promise<string> => {
    await capture(python, ['-E', '-s', '-m', 'schemathesis.cli', '--version'], env);
    return python;
  };
  return firstWay(
    'schemathesis',
    [
      {
        name: 'in the cache',
        looks: true,
        attempt: async () => {
          if (!(await exists(python))) throw new Error('not there yet');
          return checked();
        },
      },
      {
        name: 'private Python environment',
        hint: 'Python 3.11 or newer with its venv module on PATH, and a Python package index',
        possible: () => findPython(env),
        attempt: async () => {
          await installPython({ folder, requirements: REQUIREMENTS, what: 'schemathesis', env, log });
          return checked();
        },
      },
    ],
    log,
  );
}
