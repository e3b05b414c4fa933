import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { defaultCacheDir } from '../local/engines/cache.ts';
import { startEngines } from '../local/engines/engines.ts';
import { ensure } from '../local/engines/strategies.ts';
import { timeSkippingServer, type TimeSkippingServer } from '../local/engines/time-skipping.ts';
import { ensureTools, type Tools } from '../local/engines/tools.ts';
import { startS3Server, type S3Server } from './helpers/s3-server.ts';
import { ytdlpOfFewSites } from './helpers/yt-dlp.ts';
import { countedTeardown } from './helpers/teardown.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    mongodbUri: string;
    tools: Tools;
    /** yt-dlp with few sites. */
    ytdlp: string;
    timeSkippingServer: TimeSkippingServer;
    s3: Omit<S3Server, 'daemon'>;
    /** Removed at the end. */
    dataDir: string;
  }
}

const STOP_GRACE_MS = 5_000;

/** Engines and tools, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-test-'));
  const cacheDir = defaultCacheDir(process.env);
  const log = (line: string): void => console.log(line);
  const tools = await ensureTools({ env: process.env, cacheDir, log });
  const { value: timeSkipping } = await ensure(timeSkippingServer({ env: process.env, cacheDir, log }), log);
  const { daemon: s3Daemon, ...s3 } = await startS3Server({
    ...{ env: process.env, cacheDir, log, stateDir: join(dataDir, 's3') },
  });
  const engines = await startEngines({ env: process.env, dataDir, cacheDir, ports: 'free', log });

  const ytdlp = await ytdlpOfFewSites(tools.ytdlp, dataDir);

  process.env['TEST_YTDLP'] = ytdlp;
  process.env['TEST_FFMPEG'] = tools.ffmpeg;
  process.env['TEST_FFPROBE'] = tools.ffprobe;
  project.provide('temporalAddress', engines.temporalAddress);
  project.provide('mongodbUri', engines.mongodbUri);
  project.provide('tools', tools);
  project.provide('ytdlp', ytdlp);
  project.provide('timeSkippingServer', timeSkipping);
  project.provide('s3', s3);
  project.provide('dataDir', dataDir);
  return countedTeardown(async () => {
    await engines.stop();
    await s3Daemon.stop(STOP_GRACE_MS);
    // What tests have left to run stops when it sees that they are gone, and may write until then.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  });
}
