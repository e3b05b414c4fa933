import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { ensurePythonClient } from '../../local/engines/python-module.ts';
import { makePython } from './python.ts';
import { makeTypeScript } from './typescript.ts';

// npm run clients                     makes the code of @tapedeck/client anew that comes from the OpenAPI document
// npm run clients -- python FOLDER    makes a client for Python
const GENERATED = fileURLToPath(new URL('../../clients/typescript/src/generated/', import.meta.url));

const [language, folder] = process.argv.slice(2);
if (language === undefined) {
  await makeTypeScript(GENERATED);
} else if (language === 'python' && folder !== undefined) {
  const { env } = process;
  const log = console.log;
  const { value: python } = await ensurePythonClient({ env, cacheDir: defaultCacheDir(env), log });
  await makePython(resolve(folder), { python, env, log });
} else {
  console.error('usage: npm run clients [-- python FOLDER]');
  process.exitCode = 2;
}
