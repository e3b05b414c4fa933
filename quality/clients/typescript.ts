import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { clientDocument } from './document.ts';
import { makeRpcTypes } from './rpc.ts';

/**
 * Writes the operations and types of `@tapedeck/client` into a folder, which is emptied first. By Hey API, since
 * openapi-typescript and openapi-fetch have been in maintenance mode since September 2026.
 */
export async function makeTypeScript(folder: string): Promise<void> {
  await createClient({
    input: { ...(await clientDocument()) },
    output: {
      path: folder,
      clean: true,
      entryFile: false,
      module: { extension: '.ts' },
      // It is written for laxer settings than ours.
      header: ['// Made by `npm run clients`.', '// @ts-nocheck'],
    },
    logs: { level: 'silent', file: false },
    plugins: [
      { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
      '@hey-api/typescript',
      { name: '@hey-api/sdk', client: false, responseStyle: 'data' },
    ],
  });
  await makeRpcTypes(join(folder, 'rpc.gen.ts'));
}
