import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { mediaProgram } from '../../local/engines/ffmpeg.ts';
import { ensureMongodbServer, mongodbServer } from '../../local/engines/mongodb-server.ts';
import { ensure, type Tool } from '../../local/engines/strategies.ts';
import { temporalCli } from '../../local/engines/temporal-cli.ts';
import { ytdlp } from '../../local/engines/ytdlp.ts';
import { givenEnv } from './service.ts';

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

/** Of a checkout. */
export async function commitOf(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], { cwd: folder });
  return stdout.trim();
}
