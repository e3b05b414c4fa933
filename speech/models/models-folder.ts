import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Of } from '../../store/files/checksum.ts';

const LOCK_FILE = 'models.lock.json';

const pinnedFile = z.object({ path: z.string(), sizeBytes: z.int().min(0), sha256: z.string() });
const pinnedModel = z.object({
  /** Where it came from. */
  url: z.string(),
  /** Of what was downloaded. */
  sizeBytes: z.int().min(0),
  sha256: z.string(),
  /** Whether that is the sum in the release's own list; false when the release has none for it. */
  isPublishedSum: z.boolean(),
  /** What is in the folder. */
  files: z.array(pinnedFile),
});
const lockSchema = z.object({ models: z.record(z.string(), pinnedModel) });

export type PinnedModel = z.infer<typeof pinnedModel>;
export type ModelsLock = z.infer<typeof lockSchema>;

/** Which models are there as they came. @throws when the lock file is damaged */
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
    throw new Error(`${path} is damaged; remove it, and install the models anew`, { cause: error });
  }
}

/** Replaces the lock file at once, so that no reader sees half of it. */
export async function writeLock(modelsDir: string, { models }: ModelsLock): Promise<void> {
  const path = join(modelsDir, LOCK_FILE);
  const staging = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const sorted = Object.fromEntries(Object.entries(models).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(staging, `${JSON.stringify({ models: sorted }, undefined, 2)}\n`);
  await rename(staging, path);
}

/** Names of the folders with models, also those that were put there by hand; none when there is no such folder. */
export async function namesOfModels(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

/**
 * What is wrong with the model of a folder, a sentence for each file that is not as it was installed.
 *
 * @param look at their sizes, or also at their contents, which are all read then
 */
export async function wrongFilesIn(
  folder: string,
  pinned: PinnedModel | undefined,
  look: 'sizes' | 'contents' = 'sizes',
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { path, sizeBytes, sha256 } of pinned?.files ?? []) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) wrong.push(`${file} is gone`);
    else if (found.size !== sizeBytes) wrong.push(`${file} has ${found.size} bytes and not ${sizeBytes}`);
    else if (look === 'contents' && (await sha256Of(file)) !== sha256) wrong.push(`${path} has another content`);
  }
  return wrong;
}
