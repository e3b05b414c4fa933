import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns MONGODB_URI, or the address of the embedded server that `npm start` runs on DATA_DIR; undefined without both */
export async function embeddedUri(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const { MONGODB_URI: named, DATA_DIR: dataDir } = env;
  if (named !== undefined && named !== '') return named;
  const file = join(dataDir === undefined || dataDir === '' ? './data' : dataDir, 'mongodb-uri');
  return readFile(file, 'utf8').catch(() => undefined);
}
