import { readFile } from 'node:fs/promises';
import type { Env } from './environment.ts';
import { requireOnPath } from './programs.ts';

/** @returns the path of apt-get @throws if this is not Debian, because packages of that name differ elsewhere */
export async function aptGet(env: Env): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^ID=debian$/m.test(release)) throw new Error('this is not Debian');
  return requireOnPath('apt-get', env);
}
