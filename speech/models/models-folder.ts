import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Of } from '../../store/files/checksum.ts';

const LOCK_FILE = 'models.lock.json';

const pinnedFile = z.object({ path: z.string(), sizeBytes: z.int().min(0), sha256: z.string() });
const pinnedModel = z.object({
  url: z.string(),
  sizeBytes: z.int().min(0),
  sha256: z.string(),
  /** False if the release has no checksum for the file. */
  isPublishedSum: z.boolean(),
  files: z.array(pinnedFile),
});
const lockSchema = z.object({ models: z.record(z.string(), pinnedModel) });

export type PinnedModel = z.infer<typeof pinnedModel>;
export type ModelsLock = z.infer<typeof lockSchema>;

export async function readLock(modelsDir: string): Promise<ModelsLock> {
  const path = join(modelsDir, LOCK_FILE);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return { models: {} };
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path} is damaged; remove it and install the models again`, { cause: error });
  }
}

export async function writeLock(modelsDir: string, { models }: ModelsLock): Promise<void> {
  const path = join(modelsDir, LOCK_FILE);
  const staging = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const sorted = Object.fromEntries(Object.entries(models).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(staging, `${JSON.stringify({ models: sorted }, undefined, 2)}\n`);
  await rename(staging, path);
}

/** Includes manually installed ones; empty if there is no models folder. */
export async function modelNamesIn(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

/** @returns a sentence for each file that differs from the installed one */
export async function damagedFilesIn(
  folder: string,
  pinned: PinnedModel | undefined,
  check: 'sizes' | 'contents' = 'sizes',
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, sizeBytes, sha256 } of pinned?.files ?? []) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) problems.push(`${file} is missing`);
    else if (found.size !== sizeBytes) problems.push(`${file} has ${found.size} bytes instead of ${sizeBytes}`);
    else if (check === 'contents' && (await sha256Of(file)) !== sha256) problems.push(`${path} has other contents`);
  }
  return problems;
}
