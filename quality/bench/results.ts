import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Engine } from './engine.ts';
import type { PartResult } from './part.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { mediaProgram } from '../../local/engines/ffmpeg.ts';
import { ensureMongodbServer, mongodbServer } from '../../local/engines/mongodb-server.ts';
import { ensure, type Tool } from '../../local/engines/strategies.ts';
import { temporalCli } from '../../local/engines/temporal-cli.ts';
import { ytdlp } from '../../local/engines/ytdlp.ts';
import { givenEnv } from './service.ts';

export const RESULTS = fileURLToPath(new URL('./results', import.meta.url));
const CODE = fileURLToPath(new URL('.', import.meta.url));

export function nameOf({ part, engine }: Pick<KeptResult, 'part' | 'engine'>): string {
  return engine === 'embedded' ? part : `${part}-${engine}`;
}

/** One run of a part, as it is kept. */
export interface KeptResult extends PartResult {
  readonly part: string;
  readonly engine: Engine;
  readonly measuredAt: string;
  readonly commit: string;
  readonly machine: { readonly processor: string; readonly cores: number; readonly memoryGib: number };
  readonly versions: Readonly<Record<string, string>>;
}

export async function keptResult(
  { part, engine, dataDir }: { readonly part: string; readonly engine: Engine; readonly dataDir: string },
  { versions, ...measured }: PartResult,
): Promise<KeptResult> {
  const [first] = cpus();
  return {
    part,
    engine,
    measuredAt: new Date().toISOString(),
    commit: await commitOf(CODE),
    machine: { processor: first?.model ?? '', cores: cpus().length, memoryGib: Math.round(totalmem() / 1024 ** 3) },
    versions: { ...(await versionsOf(join(dataDir, 'mongodb'))), ...versions },
    ...measured,
  };
}

export async function keep(result: KeptResult): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${nameOf(result)}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
}

export async function readKept(): Promise<ReadonlyMap<string, KeptResult>> {
  const files = (await readdir(RESULTS).catch(() => [])).filter((name) => name.endsWith('.json'));
  const kept = files.map(async (name) => JSON.parse(await readFile(join(RESULTS, name), 'utf8')) as KeptResult);
  return new Map((await Promise.all(kept)).map((one) => [nameOf(one), one]));
}

/** The versions of tools and engines. @param mongodbDir of the part's database */
export async function versionsOf(mongodbDir: string): Promise<Readonly<Record<string, string>>> {
  const env = givenEnv();
  const setup = { env, cacheDir: defaultCacheDir(env), log: () => undefined };
  const versionOf = async (tool: Tool): Promise<string> => {
    const { version } = await tool.describe((await ensure(tool, setup.log)).value);
    // The age of yt-dlp, which changes by the day, stands after it.
    return version.split(',')[0] ?? '';
  };
  const database = await mongodbServer(setup, mongodbDir);
  const sdk = createRequire(import.meta.url)('@temporalio/client/package.json') as { version: string };
  return {
    ...{ node: process.version, system: release(), 'yt-dlp': await versionOf(ytdlp(setup)) },
    ffmpeg: await versionOf(mediaProgram('ffmpeg', setup)),
    // The cluster is of the version that the program holds.
    temporal: await versionOf(temporalCli(setup)),
    'temporal sdk': sdk.version,
    mongodb: (await database.describe((await ensureMongodbServer(setup, mongodbDir)).value)).version,
  };
}

export async function commitOf(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], { cwd: folder });
  return stdout.trim();
}
