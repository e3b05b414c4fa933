import { rename, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fetchFile, fetchSums, forget, UnreachableError, type FetchOptions } from '../../outbound/fetch-url.ts';
import { createProgressView, showFetched } from '../../runtime/terminal-progress.ts';
import { sha256Of } from '../../store/files/checksum.ts';
import type { Log, Env, Setup } from './environment.ts';
import { installOnce } from './cache.ts';
import { requireOnPath, step } from './programs.ts';
import type { Strategy } from './strategies.ts';

const PROBE_TIMEOUT_MS = 5_000;

export type ReleaseFile = {
  readonly folder: string;
  readonly name: string;
} & ({ readonly sha256: string } | { readonly sums: string });

/** The publisher's list of checksums comes over the same connection, so it protects no better than that. */
export async function downloadRelease(release: ReleaseFile, file: string, log: Log): Promise<void> {
  const { folder, name } = release;
  const url = `${folder}/${name}`;
  const view = createProgressView({ terminal: undefined, title: '', line: log, stepPercent: 10 });
  // No retries, since another strategy may work at once.
  const options: FetchOptions = { signal: new AbortController().signal, mostFailures: 1 };
  try {
    const wanted =
      'sha256' in release ? release.sha256 : (await fetchSums(`${folder}/${release.sums}`, options)).get(name);
    if (wanted === undefined) throw new Error(`there is no SHA-256 of ${name} in ${folder}`);
    log(`fetching ${url}`);
    const onProgress = (done: number, whole: number | undefined): void => showFetched(view, done, whole);
    const part = await fetchFile(url, file, { ...options, onProgress });
    if ((await sha256Of(part)) !== wanted) throw new Error(`${url} does not have the SHA-256 that was expected`);
    await rename(part, file);
    await forget(part);
  } catch (error) {
    throw error instanceof UnreachableError ? cannotReach(url, error.reason) : error;
  }
}

export async function probe(url: string): Promise<void> {
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: PROBE_TIMEOUT_MS } });
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await fetch(url, { dispatcher, method: 'HEAD', signal }).catch((error: unknown) => {
      throw cannotReach(url, new UnreachableError(url, error).reason);
    });
    await response.body?.cancel();
  } finally {
    await dispatcher.close();
  }
}

function cannotReach(url: string, reason: string): Error {
  return new Error(`cannot reach ${new URL(url).host} (${reason})`);
}

export interface InstallTarget {
  /** Absolute path in a folder of the cache, whose name contains name and version. */
  readonly program: string;
  readonly check: (program: string) => Promise<unknown>;
}

/** Installs one program completely or not at all. @param build writes it to `staged` in the folder `staging` */
export async function installProgram(
  { program, check }: InstallTarget,
  build: (staged: string, staging: string) => Promise<void>,
): Promise<string> {
  await installOnce(dirname(program), async (staging) => {
    const staged = join(staging, basename(program));
    await build(staged, staging);
    // Packages and downloads lose the executable bit.
    await chmod(staged, 0o755);
    await check(staged);
  });
  return program;
}

export interface ReleaseOptions extends InstallTarget {
  readonly name?: string;
  readonly hint?: string;
  readonly env: Env;
  readonly site: string;
  readonly mirrorSetting: string;
  readonly release: (base: string) => ReleaseFile | Promise<ReleaseFile>;
  /** The program's path in the archive, below `outer` folders; by default the file is the program. */
  readonly inArchive?: { readonly path: string; readonly outer: number };
}

export function releaseDownload(options: ReleaseOptions): Strategy<string> {
  const { env, site, mirrorSetting, release, inArchive } = options;
  const base = env[mirrorSetting] ?? site;
  return {
    name: options.name ?? 'official download',
    hint: options.hint ?? `access to ${new URL(base).host}; ${mirrorSetting} names a mirror`,
    possible: () => probe(base),
    attempt: (log) =>
      installProgram(options, async (staged, staging) => {
        const file = await release(base);
        if (inArchive === undefined) return downloadRelease(file, staged, log);
        const [archive, unpacked] = [join(staging, 'archive.tar.gz'), join(staging, 'unpacked')];
        await downloadRelease(file, archive, log);
        await mkdir(unpacked);
        const tar = ['-xzf', archive, '-C', unpacked, `--strip-components=${String(inArchive.outer)}`];
        await step(['tar', ...tar], { cwd: staging, env, log, what: 'unpacking' });
        await rename(join(unpacked, inArchive.path), staged);
        await Promise.all([archive, unpacked].map((path) => rm(path, { recursive: true })));
      }),
  };
}

export interface GoOptions extends InstallTarget {
  readonly env: Env;
  readonly module: `${string}@v${string}`;
  readonly oldestGo: string;
  readonly what: string;
}

/** `go install`; Go verifies modules by its checksum database. */
export function goInstall({ env, module, oldestGo, what, ...target }: GoOptions): Strategy<string> {
  return {
    name: 'go install',
    hint: `Go ${oldestGo} or newer on PATH (and a Go module proxy)`,
    possible: () => requireOnPath('go', env),
    attempt: async (log) => {
      const go = await requireOnPath('go', env);
      return installProgram(target, async (staged, staging) => {
        const settings = { ...env, GOBIN: staging, CGO_ENABLED: '0' };
        await step([go, 'install', module], { cwd: staging, env: settings, log, what });
        // Go names a program after its folder.
        await rename(join(staging, basename(module.replace(/@.*/, ''))), staged);
      });
    },
  };
}

export interface NpmProgram {
  readonly name: string;
  readonly version: string;
  /** The form is that of a lock file: `sha512-…`. */
  readonly integrity: string;
}

/** Installs a package without running its scripts. @returns its folder @throws when npm fails, as for another hash */
export async function installNpmProgram(
  { name, version, integrity }: NpmProgram,
  { dir, env, log }: { readonly dir: string; readonly env: Env; readonly log: Log },
): Promise<string> {
  const npm = await requireOnPath('npm', env);
  const path = `node_modules/${name}`;
  const root = { dependencies: { [name]: version } };
  const lock = { lockfileVersion: 3, requires: true, packages: { '': root, [path]: { version, integrity } } };
  await writeFile(join(dir, 'package.json'), JSON.stringify(root));
  await writeFile(join(dir, 'package-lock.json'), JSON.stringify(lock));
  const what = `installing ${name}@${version} (about 30 MB)`;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await step([npm, ...args], { cwd: dir, env, log, what });
  return join(dir, path);
}

/** @returns the platform in Go's form, such as `linux_amd64` */
export const GO_PLATFORM = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;

export function platformFolder({ cacheDir }: Setup, nameAndVersion: string): string {
  return join(cacheDir, `${nameAndVersion}-${process.platform}-${process.arch}`);
}
