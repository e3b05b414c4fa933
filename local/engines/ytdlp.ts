import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint, installOnce } from './cache.ts';
import { downloadRelease, probe } from './download.ts';
import { capture, findOnPath, fromSetting, isAtLeast, requireOnPath, step, type Env } from './programs.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Log, type Way } from './ways.ts';

/** Pinned, since upstream platforms change and each release behaves differently; raise it often. */
export const YTDLP_VERSION = '2026.10.26';
/** Oldest release taken from PATH: the platforms have changed since the ones before. */
const OLDEST_VERSION = '2026.08.19';
const RELEASES_URL = 'https://github.com/yt-dlp/yt-dlp/releases/download';
/** Names the same version of yt-dlp as YTDLP_VERSION, and those of its helpers. */
const REQUIREMENTS = fileURLToPath(new URL('./yt-dlp-requirements.txt', import.meta.url));
const OLDEST_PYTHON = '3.11';
const PIP_TIMEOUT_MS = 10 * 60_000;
/** The environment may be moved and its caller may have no PATH, so the interpreter is found beside the launcher. */
const LAUNCHER = '#!/bin/sh\nexec "${0%/*}/python3" -I -m yt_dlp "$@"\n';
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];

/** Path of a yt-dlp that is new enough, set up when needed. @throws {NoWayError} */
export async function ensureYtdlp(setup: Setup): Promise<Found<string>> {
  return firstWay('yt-dlp', [...ytdlpFound(setup), ...ytdlpInstalled(setup)], setup.log);
}

/** Ways that only look. A path given by setting is taken at its word, or is an error: nothing else is tried then. */
export function ytdlpFound({ env, cacheDir }: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: `put yt-dlp ${OLDEST_VERSION} or newer on PATH, or set YTDLP_PATH`,
      attempt: async () => {
        const program = await requireOnPath('yt-dlp', env);
        const version = await capture(program, ['--version'], env);
        if (!isAtLeast(version, OLDEST_VERSION))
          throw new Error(`${program} is ${version}, older than ${OLDEST_VERSION}`);
        return program;
      },
    },
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        for (const program of [environmentProgram(cacheDir), standaloneProgram(cacheDir)]) {
          if (!(await exists(program))) continue;
          await capture(program, ['--version'], env);
          return program;
        }
        throw new Error('not there yet');
      },
    },
  ];
}

/** Ways that install into the cache. */
export function ytdlpInstalled({ env, cacheDir }: Setup): Way<string>[] {
  const base = env['YTDLP_DOWNLOAD_URL'] ?? RELEASES_URL;
  return [
    {
      name: 'private Python environment',
      hint: `Python ${OLDEST_PYTHON} or newer with its venv module on PATH, and a Python package index`,
      possible: () => findPython(env),
      attempt: async (log) => {
        const program = environmentProgram(cacheDir);
        await installOnce(environmentFolder(cacheDir), (staging) => installEnvironment(staging, env, log));
        return program;
      },
    },
    {
      name: 'official release',
      hint: `access to ${new URL(base).host}; YTDLP_DOWNLOAD_URL names a mirror`,
      possible: () => probe(base),
      attempt: async (log) => {
        await installOnce(standaloneFolder(cacheDir), (staging) => installStandalone({ staging, base, env, log }));
        return standaloneProgram(cacheDir);
      },
    },
  ];
}

async function installEnvironment(staging: string, env: Env, log: Log): Promise<void> {
  const python = await findPython(env);
  const common = { cwd: staging, env, log, timeoutMs: PIP_TIMEOUT_MS };
  await step([python, '-m', 'venv', staging], { ...common, what: `making a Python environment with ${python}` });
  await step(
    [
      join(staging, 'bin', 'python3'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-input',
      '--only-binary=:all:',
      '--no-deps',
      '--require-hashes',
      '-r',
      REQUIREMENTS,
    ],
    {
      ...common,
      what: `installing yt-dlp ${YTDLP_VERSION}`,
    },
  );
  const launcher = join(staging, 'bin', 'tapedeck-yt-dlp');
  await writeFile(launcher, LAUNCHER, { mode: 0o755 });
  await capture(launcher, ['--version'], env);
}

export async function findPython(env: Env): Promise<string> {
  const seen: string[] = [];
  for (const name of PYTHONS) {
    const path = await findOnPath(name, env);
    if (path === undefined) continue;
    // Through sys.executable, as the one on PATH may be a shim that picks another version in another folder.
    const [version = '', executable = path] = (
      await capture(
        path,
        ['-c', 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2]); print(sys.executable)'],
        env,
      ).catch((error: unknown) => (error instanceof Error ? `unusable (${error.message})` : 'unusable'))
    ).split('\n');
    if (/^\d+\.\d+$/.test(version) && isAtLeast(version, OLDEST_PYTHON)) return executable;
    seen.push(`${path} is ${version}`);
  }
  throw new Error(
    seen.length === 0 ? 'python3 is not on PATH' : `no Python ${OLDEST_PYTHON} or newer with venv: ${seen.join('; ')}`,
  );
}

async function installStandalone({
  staging,
  base,
  env,
  log,
}: {
  staging: string;
  base: string;
  env: Env;
  log: Log;
}): Promise<void> {
  const asset = standaloneAsset();
  const program = join(staging, 'yt-dlp');
  await downloadRelease({ folder: `${base}/${YTDLP_VERSION}`, name: asset, sums: 'SHA2-256SUMS' }, program, log);
  await chmod(program, 0o755);
  await capture(program, ['--version'], env);
}

function standaloneAsset(): string {
  if (process.platform === 'darwin') return 'yt-dlp_macos';
  const musl =
    (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header.glibcVersionRuntime ===
    undefined;
  const base = musl ? 'yt-dlp_musllinux' : 'yt-dlp_linux';
  if (process.platform === 'linux' && process.arch === 'x64') return base;
  if (process.platform === 'linux' && process.arch === 'arm64') return `${base}_aarch64`;
  throw new Error(`there is no standalone release for ${process.platform} ${process.arch}`);
}

/** The program that YTDLP_PATH names. @throws when it can't be run */
export async function givenYtdlp(value: string, env: Env): Promise<string> {
  const program = await fromSetting('YTDLP_PATH', value, env);
  await capture(program, ['--version'], env);
  return program;
}

function environmentFolder(cacheDir: string): string {
  return join(cacheDir, `yt-dlp-${YTDLP_VERSION}-python-${fingerprint(REQUIREMENTS)}`);
}

function environmentProgram(cacheDir: string): string {
  return join(environmentFolder(cacheDir), 'bin', 'tapedeck-yt-dlp');
}

function standaloneFolder(cacheDir: string): string {
  return join(cacheDir, `yt-dlp-${YTDLP_VERSION}-${process.platform}-${process.arch}`);
}

function standaloneProgram(cacheDir: string): string {
  return join(standaloneFolder(cacheDir), 'yt-dlp');
}
