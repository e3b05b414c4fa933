import { fileURLToPath } from 'node:url';
import type { Setup } from './environment.ts';
import { ensurePythonModule } from './python-module.ts';
import type { Found } from './strategies.ts';

const requirements = fileURLToPath(new URL('./schemathesis-requirements.txt', import.meta.url));

/** A Python with schemathesis, set up when needed. Only the fuzzing of the OpenAPI document uses it. @throws {NoStrategyError} */
export function ensureSchemathesis(setup: Setup): Promise<Found<string>> {
  return ensurePythonModule(setup, { name: 'schemathesis', module: 'schemathesis.cli', requirements });
}
