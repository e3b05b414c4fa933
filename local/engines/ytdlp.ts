import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { datedVersion, YTDLP_OLD_AFTER_DAYS } from '../../runtime/subprocess/dated-version.ts';
import { fingerprint } from './cache.ts';
import type { Setup } from './environment.ts';
import { platformFolder, releaseDownload } from './install.ts';
import { capture, isAtLeast } from './programs.ts';
import { privatePython, pythonIn } from './python.ts';
import { programTool, wasChecked, type Tool } from './strategies.ts';

/** The version is pinned, because releases behave differently. Update it often. */
export const YTDLP_VERSION = '2026.10.26';
/** Older releases no longer work with the platforms. */
const OLDEST_VERSION = '2026.08.19';
/** Pins YTDLP_VERSION and its dependencies. */
const REQUIREMENTS = fileURLToPath(new URL('./yt-dlp-requirements.txt', import.meta.url));
/** The environment may be moved, and its caller may have no PATH. */
const LAUNCHER = '#!/bin/sh\nexec "${0%/*}/python3" -I -m yt_dlp "$@"\n';

export function ytdlp(setup: Setup): Tool {
  const { env, cacheDir } = setup;
  const version = (program: string): Promise<string> => capture(program, ['--version'], env);
  const folder = join(cacheDir, `yt-dlp-${YTDLP_VERSION}-python-${fingerprint(REQUIREMENTS)}`);
  const launcherIn = (dir: string): string => join(dir, 'bin', 'tapedeck-yt-dlp');
  const standalone = join(platformFolder(setup, `yt-dlp-${YTDLP_VERSION}`), 'yt-dlp');
  const tool = programTool(setup, {
    name: 'yt-dlp',
    setting: 'YTDLP_PATH',
    names: ['yt-dlp'],
    hint: `put yt-dlp ${OLDEST_VERSION} or newer on PATH, or set YTDLP_PATH`,
    cached: [launcherIn(folder), standalone],
    version,
    // Running yt-dlp takes a second of processor time.
    checkCached: (program) =>
      program === standalone
        ? wasChecked()
        : capture(pythonIn(folder), ['-I', '-c', 'import importlib.util as u; u.find_spec("yt_dlp").loader'], env),
    checkAge: (program, found) => {
      if (!isAtLeast(found, OLDEST_VERSION)) throw new Error(`${program} is ${found}, older than ${OLDEST_VERSION}`);
    },
    installed: [
      privatePython({
        folder,
        requirements: REQUIREMENTS,
        what: `yt-dlp ${YTDLP_VERSION}`,
        env,
        finish: async (staging) => {
          await writeFile(launcherIn(staging), LAUNCHER, { mode: 0o755 });
          await version(launcherIn(staging));
        },
        use: () => Promise.resolve(launcherIn(folder)),
      }),
      releaseDownload({
        name: 'official release',
        program: standalone,
        check: version,
        env,
        site: 'https://github.com/yt-dlp/yt-dlp/releases/download',
        mirrorSetting: 'YTDLP_DOWNLOAD_URL',
        release: (base) => ({ folder: `${base}/${YTDLP_VERSION}`, name: standaloneAsset(), sums: 'SHA2-256SUMS' }),
      }),
    ],
  });
  return { ...tool, describe: async (program) => ({ version: withAge(await version(program)), where: program }) };
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

export function withAge(version: string): string {
  const { ageDays } = datedVersion(version, Date.now());
  if (ageDays === undefined) return version;
  const age = `${version}, ${String(ageDays)} days old`;
  return ageDays < YTDLP_OLD_AFTER_DAYS ? age : `${age}: platforms have changed since, update it`;
}
