import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { defaultCacheDir } from '../embedded/cache.ts';
import { startEngines } from '../embedded/engines.ts';
import { ensureTimeSkippingServer, type TimeSkippingServer } from '../embedded/time-skipping.ts';
import { ensureTools, type Tools } from '../embedded/tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    mongodbUri: string;
    tools: Tools;
    timeSkippingServer: TimeSkippingServer;
  }
}

/** Engines and tools, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-test-'));
  const cacheDir = defaultCacheDir(process.env);
  const log = (line: string): void => console.log(line);
  const tools = await ensureTools({ env: process.env, cacheDir, log });
  const timeSkipping = await ensureTimeSkippingServer({ env: process.env, cacheDir, log });
  const engines = await startEngines({ env: process.env, dataDir, cacheDir, ports: 'free', log });

  process.env['TEST_YTDLP'] = tools.ytdlp;
  process.env['TEST_FFMPEG'] = tools.ffmpeg;
  process.env['TEST_FFPROBE'] = tools.ffprobe;
  project.provide('temporalAddress', engines.temporalAddress);
  project.provide('mongodbUri', engines.mongodbUri);
  project.provide('tools', tools);
  project.provide('timeSkippingServer', timeSkipping);
  return async () => {
    await engines.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
