import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where what is made from sources is kept, with the packages that it is made from and by. */
const KEPT = join(ROOT, 'node_modules', '.cache', 'tapedeck');

/**
 * Where the build of these sources is, or is to be kept: another one as soon as one of them changes.
 *
 * @param name for people
 * @param sources patterns of files, from the root of the project
 */
export async function keptBuildOf(name: string, sources: readonly string[]): Promise<string> {
  const files: string[] = [];
  for await (const file of glob(sources, { cwd: ROOT })) files.push(file);
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\n`).update(await readFile(join(ROOT, file)));
  return join(KEPT, `${name}-${hash.digest('hex').slice(0, 16)}`);
}
