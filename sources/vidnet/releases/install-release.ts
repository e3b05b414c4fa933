import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFile, forget, listPackageFiles } from '../../../outbound/fetch-url.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { lastLine } from '../../../runtime/subprocess/warm-process.ts';
import { run } from '../../../runtime/subprocess/run-program.ts';
import { sha256Of } from '../../../store/files/checksum.ts';
import { readPythonProgram, type PythonProgram } from '../warm/python-program.ts';
import { serveTestPage } from '../yt-dlp/yt-dlp-test-page.ts';
import { environmentOf, linkNeeded, YTDLP_MEMORY_BYTES } from '../yt-dlp/run-yt-dlp.ts';
import { NEUTRAL_EXTENSION } from '../yt-dlp/yt-dlp-arguments.ts';
import type { YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../yt-dlp/yt-dlp-version.ts';
import { compareVersions } from './release-version.ts';

/** The index of yt-dlp has half a megabyte, and its wheel has three. */
const MAX_FETCHED_BYTES = 64 * 1024 ** 2;
const MAX_UNPACKED_BYTES = 512 * 1024 ** 2;
const INSTALL_TIMEOUT_MS = 20 * 60_000;
const CHECK_TIMEOUT_MS = 120_000;
/** Scripts without which yt-dlp reads fewer pages. Each release names the exact version that it needs. */
const SCRIPTS = 'yt-dlp-ejs';
const FETCH_LIMITS = {
  mostFailures: 3,
  onProgress: (done: number, whole = 0): void => {
    if (Math.max(done, whole) > MAX_FETCHED_BYTES) throw new Error(`it has more than ${MAX_FETCHED_BYTES} bytes`);
  },
};

type Wheel = Awaited<ReturnType<typeof listWheels>>[number];

export async function listWheels(indexUrl: string, name: string, signal: AbortSignal) {
  const beginning = `${name.replaceAll('-', '_')}-`;
  const ending = '-py3-none-any.whl';
  const files = await listPackageFiles(indexUrl, name, { ...FETCH_LIMITS, signal });
  return files
    .filter(({ filename }) => filename.startsWith(beginning) && filename.endsWith(ending))
    .map(({ filename, ...file }) => ({ ...file, version: filename.slice(beginning.length, -ending.length) }));
}

/** The release arrived unchanged and does not work here, so another download would not help. */
export class UnusableReleaseError extends Error {
  override readonly name = 'UnusableReleaseError';
}

export function programIn(folder: string): string {
  return join(folder, 'yt-dlp');
}

export interface InstallOptions {
  /** Base URL of an index of Python packages, such as `https://pypi.org/simple`. */
  readonly indexUrl: string;
  /** The settings of the pinned yt-dlp. */
  readonly settings: YtdlpSettings;
  readonly signal: AbortSignal;
}

/**
 * Downloads a release and the scripts that it needs, verifies both by their checksums, and tries the release, with the interpreter
 * and packages of the pinned one, before a rename gives it its final path. A copy that another worker installed first remains.
 *
 * @throws UnusableReleaseError; other errors after which nothing is left
 */
export async function installRelease(wheel: Wheel, folder: string, options: InstallOptions): Promise<void> {
  const { indexUrl, settings } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(INSTALL_TIMEOUT_MS)]);
  const program = await readPythonProgram(settings.program);
  const staging = `${folder}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(staging, { recursive: true });
  const runPython = async (...args: readonly string[]): Promise<void> => {
    const { exitCode, stderrTail } = await run(program.python, ['-I', ...args], {
      ...{ cwd: staging, env: bareEnvironment(program.python), timeoutMs: INSTALL_TIMEOUT_MS, signal },
      maxFolderBytes: MAX_UNPACKED_BYTES,
    });
    if (exitCode !== 0) throw new Error(`python3 ${args.slice(0, 2).join(' ')} failed: ${lastLine(stderrTail)}`);
  };
  const unpack = async ({ url, sha256 }: Wheel): Promise<void> => {
    const file = await fetchFile(url, join(staging, 'wheel'), { ...FETCH_LIMITS, signal });
    const sum = await sha256Of(file, signal);
    if (sum !== sha256) throw new Error(`${url} has the SHA-256 ${sum}, and not ${sha256}, which the index states`);
    await runPython('-m', 'zipfile', '-e', file, staging);
    await forget(file);
  };
  try {
    await unpack(wheel);
    const needed = await scriptsVersionIn(staging);
    if (needed !== undefined) {
      const scripts = (await listWheels(indexUrl, SCRIPTS, signal)).find(({ version }) => version === needed);
      if (scripts === undefined) throw new Error(`${indexUrl} has no ${SCRIPTS} ${needed}, which the release needs`);
      await unpack(scripts);
    }
    // Calls write no compiled modules, so each call would compile what it uses.
    await runPython('-m', 'compileall', '-q', staging);
    await writeFile(programIn(staging), launcherFor(program), { mode: 0o755 });
    await checkRelease({ ...settings, program: programIn(staging) }, wheel.version, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new UnusableReleaseError(error instanceof Error ? error.message : String(error), { cause: error });
    });
    await rename(staging, folder).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The first line works however long the path of the interpreter is. To Python, the line after it is a string. */
function launcherFor({ python, flags }: PythonProgram): string {
  return `#!/bin/sh
'''exec' "${python}"${flags.map((flag) => ` ${flag}`).join('')} "$0" "$@"
' '''
import os, runpy, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
runpy.run_module('yt_dlp', run_name='__main__')
`;
}

/** @returns the version of the scripts that a release names in its metadata */
async function scriptsVersionIn(staging: string): Promise<string | undefined> {
  const about = (await readdir(staging)).find((name) => /^yt_dlp-.*\.dist-info$/.test(name));
  if (about === undefined) throw new UnusableReleaseError('it has no metadata');
  const metadata = await readFile(join(staging, about, 'METADATA'), 'utf8');
  return /^Requires-Dist: *yt-dlp-ejs *\(?== *([\w.]+)\)? *;.*\bextra *== *['"]default['"]/m.exec(metadata)?.[1];
}

/** Downloads a local test page with all arguments of a job. @throws when the program does not work or has another version */
async function checkRelease(settings: YtdlpSettings, version: string, signal: AbortSignal): Promise<void> {
  const { program } = settings;
  const { version: printed } = await readYtdlpVersion(program);
  if (compareVersions(printed, version) !== 0) throw new Error(`it calls itself ${JSON.stringify(printed)}`);
  const cwd = await mkdtemp(join(tmpdir(), 'tapedeck-release-'));
  const page = await serveTestPage(settings);
  try {
    const env = environmentOf({ program }, { home: cwd, programs: await linkNeeded(program, join(cwd, 'programs')) });
    const limits = { timeoutMs: CHECK_TIMEOUT_MS, maxMemoryBytes: YTDLP_MEMORY_BYTES };
    const { exitCode, stderrTail } = await run(program, page.args, { cwd, env, signal, ...limits });
    if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${lastLine(stderrTail)}`);
    await access(join(cwd, `media.${NEUTRAL_EXTENSION}`));
  } finally {
    page.close();
    await rm(cwd, { recursive: true, force: true });
  }
}
