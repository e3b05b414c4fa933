import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'tapedeck');

/** @param sources glob patterns, relative to the root @returns the path of their cached build, which changes with each of them */
export async function cachedBuildPath(name: string, sources: readonly string[]): Promise<string> {
  const files: string[] = [];
  for await (const file of glob(sources, { cwd: ROOT })) files.push(file);
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(join(ROOT, file)));
  return join(CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
}
