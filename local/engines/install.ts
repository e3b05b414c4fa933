import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { installOnce } from './cache.ts';
import type { Env, Log, Setup } from './environment.ts';
import { requireOnPath, step } from './programs.ts';
import { downloadRelease, probe, type ReleaseFile } from './release.ts';
import type { Strategy } from './strategies.ts';

/** Where an installed program goes, and how it shows that it is the right one. */
export interface InstallTarget {
  /** Absolute path in a folder of the cache whose name carries name and version. */
  readonly program: string;
  /** @throws when it can't be run, or is another program */
  readonly check: (program: string) => Promise<unknown>;
}

/** Installs one program, all or nothing. @param build leaves it at the path that it is given, in the folder that it is given */
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
  /** The publisher's site, and the setting that names a mirror of it. */
  readonly site: string;
  readonly mirrorSetting: string;
  /** The file for this platform. @throws when there is none */
  readonly release: (base: string) => ReleaseFile | Promise<ReleaseFile>;
  /** Where the program is in the archive, below its `outer` folders; without it the file is the program. */
  readonly inArchive?: { readonly path: string; readonly outer: number };
}

/** The download of a release, which must have the SHA-256 that is pinned, or that its publisher tells. */
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
  /** Module path of the command, with its version. */
  readonly module: `${string}@v${string}`;
  readonly oldestGo: string;
  readonly what: string;
}

/** `go install`, whose modules Go itself checks against its checksum database. */
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
  const what = `installing ${name}@${version} (about 30 MB)`;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await step([npm, ...args], { cwd: dir, env, log, what });
  return join(dir, place);
}

/** Such as `linux_amd64`, as Go names platforms. */
export const GO_PLATFORM = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** A folder of the cache for what is built for this platform. */
export function platformFolder({ cacheDir }: Setup, nameAndVersion: string): string {
  return join(cacheDir, `${nameAndVersion}-${process.platform}-${process.arch}`);
}
