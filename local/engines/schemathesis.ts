import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './cache.ts';
import type { Setup } from './environment.ts';
import { capture } from './programs.ts';
import { privatePython, pythonIn } from './python.ts';
import { ensure, programTool, type Found } from './strategies.ts';

const REQUIREMENTS = fileURLToPath(new URL('./schemathesis-requirements.txt', import.meta.url));

/** A Python with schemathesis, set up when needed. Only the fuzzing of the OpenAPI document uses it. @throws {NoStrategyError} */
export function ensureSchemathesis(setup: Setup): Promise<Found<string>> {
  const { env, cacheDir } = setup;
  const folder = join(cacheDir, `schemathesis-${fingerprint(REQUIREMENTS)}`);
  // The launcher of pip names the folder in which it was made, which is moved afterwards.
  const version = (python: string): Promise<string> =>
    capture(python, ['-E', '-s', '-m', 'schemathesis.cli', '--version'], env);
  const tool = programTool(setup, {
    name: 'schemathesis',
    names: [],
    cached: [pythonIn(folder)],
    version,
    installed: [
      privatePython({
        ...{ folder, requirements: REQUIREMENTS, what: 'schemathesis', env },
        use: async (python) => {
          await version(python);
          return python;
        },
      }),
    ],
  });
  return ensure(tool, setup.log);
}
