import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { cachedBuildPath, ROOT } from '../../runtime/build-cache.ts';
import { bareEnvironment } from '../../runtime/subprocess/bare-environment.ts';
import { run } from '../../runtime/subprocess/run-program.ts';

const BUILD = join(ROOT, 'console', 'build.mjs');
/** The sources of the console, which also imports from `contract/` and `clients/`. */
const SOURCES = [
  'console/**/*.{ts,tsx,css,html,svg,mjs,json}',
  'clients/typescript/src/*.ts',
  'contract/**/*.ts',
  'package-lock.json',
];
const TIMEOUT_MS = 120_000;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/manifest+json',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly gzipped: Buffer<ArrayBuffer>;
  readonly etag: string;
}

export interface ConsoleFiles {
  readonly page: string;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Loads the console, which is built once per version of its sources. It needs a third of a megabyte of memory. */
export async function loadConsole(): Promise<ConsoleFiles> {
  const folder = await builtConsole();
  const names = await readdir(join(folder, 'assets'));
  const assets = names.map(async (name) => [name, await readAsset(join(folder, 'assets', name))] as const);
  return { page: await readFile(join(folder, 'index.html'), 'utf8'), assets: new Map(await Promise.all(assets)) };
}

async function builtConsole(): Promise<string> {
  const kept = await cachedBuildPath('console', SOURCES);
  if (existsSync(kept)) return kept;
  const staging = `${kept}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(staging), { recursive: true });
  try {
    await buildConsole(staging);
    await rename(staging, kept).catch((error: unknown) => {
      // If two processes build at once, the first build is used.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    });
    return kept;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export async function buildConsole(folder: string): Promise<void> {
  const { exitCode, stderrTail } = await run(process.execPath, [BUILD, folder], {
    cwd: dirname(BUILD),
    env: bareEnvironment(process.execPath),
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode !== 0) throw new Error(`the console could not be built: ${stderrTail}`);
}

async function readAsset(path: string): Promise<ConsoleFile> {
  const bytes = await readFile(path);
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    bytes,
    gzipped: await promisify(gzip)(bytes),
    etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
  };
}
