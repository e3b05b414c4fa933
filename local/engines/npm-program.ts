import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOnPath, step, type Env } from './programs.ts';
import type { Log } from './ways.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** A package of npm that holds a program. */
export interface NpmProgram {
  readonly name: string;
  readonly version: string;
  /** What npm demands of the archive, as in a lock file: `sha512-…`. */
  readonly integrity: string;
}

/**
 * Installs a package, without running any script of it.
 *
 * @returns the folder of the package
 * @throws when npm is missing or fails, as it does when the archive has another hash
 */
export async function installNpmProgram(
  { name, version, integrity }: NpmProgram,
  { dir, env, log }: { readonly dir: string; readonly env: Env; readonly log: Log },
): Promise<string> {
  const npm = await requireOnPath('npm', env);
  const place = `node_modules/${name}`;
  const root = { dependencies: { [name]: version } };
  const lock = { lockfileVersion: 3, requires: true, packages: { '': root, [place]: { version, integrity } } };
  await writeFile(join(dir, 'package.json'), JSON.stringify(root));
  await writeFile(join(dir, 'package-lock.json'), JSON.stringify(lock));
  await step([npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    ...{ cwd: dir, env, log, timeoutMs: INSTALL_TIMEOUT_MS },
    what: `installing ${name}@${version} (about 30 MB)`,
  });
  return join(dir, place);
}
