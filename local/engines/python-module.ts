import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './cache.ts';
import type { Setup } from './environment.ts';
import { capture } from './programs.ts';
import { privatePython, pythonIn } from './python.ts';
import { ensure, programTool, type Found } from './strategies.ts';

interface PythonModule {
  readonly name: string;
  readonly module: string;
  readonly requirements: string;
}

export function ensurePythonModule(setup: Setup, { name, module, requirements }: PythonModule): Promise<Found<string>> {
  const { env, cacheDir } = setup;
  const folder = join(cacheDir, `${name}-${fingerprint(requirements)}`);
  // The launcher of pip names the folder in which it was made, which is moved afterwards.
  const version = (python: string): Promise<string> => capture(python, ['-E', '-s', '-m', module, '--version'], env);
  const tool = programTool(setup, {
    name,
    names: [],
    cached: [pythonIn(folder)],
    version,
    installed: [
      privatePython({
        ...{ folder, requirements, what: name, env },
        use: async (python) => {
          await version(python);
          return python;
        },
      }),
    ],
  });
  return ensure(tool, setup.log);
}

/** A Python that generates clients from an OpenAPI document and can run them. @throws {NoStrategyError} */
export function ensurePythonClient(setup: Setup): Promise<Found<string>> {
  const requirements = fileURLToPath(new URL('./python-client-requirements.txt', import.meta.url));
  return ensurePythonModule(setup, { name: 'openapi-python-client', module: 'openapi_python_client', requirements });
}
