import { fileURLToPath } from 'node:url';
import type { Setup } from './environment.ts';
import { ensurePythonModule } from './python-module.ts';
import type { Found } from './strategies.ts';

const requirements = fileURLToPath(new URL('./python-client-requirements.txt', import.meta.url));

/** A Python that makes clients from an OpenAPI document, and can run them. Set up when needed. @throws {NoStrategyError} */
export function ensurePythonClient(setup: Setup): Promise<Found<string>> {
  return ensurePythonModule(setup, { name: 'openapi-python-client', module: 'openapi_python_client', requirements });
}
