import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../store/files/checksum.ts';
import { CATALOGUE, type ModelFile } from './catalogue.ts';

/** @returns the installed models, including manually installed ones; empty if there is no models folder */
export async function modelNamesIn(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

/** @returns the files of a model of the catalogue; empty for a model that was installed manually */
export function knownFilesOf(name: string): readonly ModelFile[] {
  return CATALOGUE.find((model) => model.name === name)?.files ?? [];
}

/** @returns a sentence for each file that differs from the catalogue */
export async function damagedFilesIn(
  folder: string,
  files: readonly ModelFile[],
  check: 'sizes' | 'contents' = 'sizes',
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, sizeBytes, sha256 } of files) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) problems.push(`${file} is missing`);
    else if (found.size !== sizeBytes) problems.push(`${file} has ${found.size} bytes instead of ${sizeBytes}`);
    else if (check === 'contents' && (await sha256Of(file)) !== sha256) problems.push(`${path} has other contents`);
  }
  return problems;
}
