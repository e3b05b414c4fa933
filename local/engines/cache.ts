import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export function defaultCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tapedeck');
}

/** Builds in a temporary folder and renames it, so that the result is always complete. If two processes do so, the first rename wins. */
export async function installOnce(dir: string, build: (staging: string) => Promise<void>): Promise<void> {
  if (await exists(dir)) return;
  const staging = `${dir}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(dir), { recursive: true });
  await mkdir(staging);
  try {
    await build(staging);
    await rename(staging, dir).catch((error: unknown) => {
      // A rename does not replace a folder with content, so another process was first.
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export function fingerprint(...files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 8);
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
