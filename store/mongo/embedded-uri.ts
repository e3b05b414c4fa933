import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * For commands that work on the database of the service, whether it is named or runs in DATA_DIR.
 *
 * @returns MONGODB_URI, else what `npm start` has left while its own database runs; undefined where there is neither
 */
export async function embeddedUri(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const { MONGODB_URI: named, DATA_DIR: dataDir } = env;
  if (named !== undefined && named !== '') return named;
  const file = join(dataDir === undefined || dataDir === '' ? './data' : dataDir, 'mongodb-uri');
  return readFile(file, 'utf8').catch(() => undefined);
}
