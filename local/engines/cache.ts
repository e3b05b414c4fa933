import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** `XDG_CACHE_HOME/tapedeck`, by default `~/.cache/tapedeck`: shared by all checkouts of one user. */
export function defaultCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tapedeck');
}

/**
 * Makes a folder of the cache, all or nothing.
 *
 * `build` fills a temporary folder beside the final one, which is then renamed, so a set-up that is cut short leaves no
 * half-made tool. Two set-ups may run at once: the first rename wins and the other's work is thrown away.
 *
 * @param dir the final folder; its name carries name and version
 * @param build fills the folder it is given, and checks the result before it returns
 * @throws whatever `build` throws; nothing is left then
 */
export async function installOnce(dir: string, build: (staging: string) => Promise<void>): Promise<void> {
  if (await exists(dir)) return;
  const staging = `${dir}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(dir), { recursive: true });
  await mkdir(staging);
  try {
    await build(staging);
    await rename(staging, dir).catch((error: unknown) => {
      // A folder with content can't be replaced by rename: somebody else was first.
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Eight hex digits of what the files hold, for the name of a folder that is made from them. */
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
