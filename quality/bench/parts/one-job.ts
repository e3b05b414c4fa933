import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { z } from 'zod';
import { loadConfig } from '../../../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../../../outbound/forward-proxy.ts';
import { createWarmYtdlp } from '../../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createYtdlpSource } from '../../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { STEPS, stepsOf, type EndedRecord, type JobSteps, type SeenJob } from '../job-steps.ts';
import type { Finding, Part } from '../part.ts';
import { inTurn, timed, median } from '../rounds.ts';
import { DATABASE, withBench, type Bench } from '../service.ts';

const WARM_UP = 3;
const JOBS_PER_ROUND = 10;
const answerSchema = z.object({ data: z.object({ id: z.string() }) });

/** From the request for a job to its answer when nothing else runs, over what the fetch takes by itself, and by its steps. */
export const oneJob: Part = {
  title: 'One job on an idle service',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    return withBench({ dataDir, engine, say, roles: ['api', 'worker'], videos: jobs + WARM_UP }, async (bench) => {
      const fetcher = await startFetcher(bench, dataDir);
      const seen: SeenJob[] = [];
      const job = async (index: number): Promise<void> => {
        const askedMs = Date.now();
        const response = await fetch(`${bench.stack.restUrl}/api/downloads/audio`, {
          method: 'POST',
          headers: { prefer: 'wait=60' },
          body: JSON.stringify({ vidnet_video_id: bench.ids[index] }),
        });
        if (response.status !== 200) throw new Error(`answered ${String(response.status)}: ${await response.text()}`);
        const { data } = answerSchema.parse(await response.json());
        seen.push({ id: data.id, askedMs, answeredMs: Date.now() });
      };
      try {
        for (let index = jobs; index < jobs + WARM_UP; index += 1) {
          await job(index);
          await fetcher.fetch(bench.ids[index] ?? '');
        }
        seen.length = 0;
        const tookMs = await inTurn(jobs, {
          ours: (round) => timed(() => job(round)),
          fetch: (round) => timed(() => fetcher.fetch(bench.ids[round] ?? '')),
        });
        const reference = { what: 'the warm fetch', value: median(tookMs.fetch) };
        const value = median(tookMs.ours);
        const steps = await readSteps(bench, seen);
        return {
          findings: [
            { what: 'one job', unit: 'ms', value, reference, isChief: true },
            { what: 'of that beside the fetch', unit: 'ms', value: value - reference.value },
            ...stepFindings(steps),
          ],
          raw: { ...tookMs, steps },
        };
      } finally {
        await fetcher.stop();
      }
    });
  },
};

/** Afterwards, so that reading them holds no job up. */
async function readSteps({ stack }: Bench, seen: readonly SeenJob[]): Promise<readonly JobSteps[]> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const mongo = await MongoClient.connect(stack.mongodbUri);
  try {
    const client = new Client({ connection });
    const records = mongo.db(DATABASE).collection<EndedRecord>('records');
    return await Promise.all(seen.map((job) => stepsOf(client, records, job)));
  } finally {
    await mongo.close();
    await connection.close();
  }
}

function stepFindings(steps: readonly JobSteps[]): Finding[] {
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  return names.map((name) => ({
    what: `step ${name}: ${STEPS[name]}`,
    unit: 'ms',
    value: median(steps.map((one) => one[name])),
  }));
}

/** The worker's own way to fetch: a warm yt-dlp behind the guard. */
async function startFetcher({ sandbox, tools }: Bench, dataDir: string) {
  const { mediaAllowedNetworks: allowedNetworks } = loadConfig(sandbox.env);
  const guard = await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks });
  const settings: YtdlpSettings = {
    program: tools.ytdlp,
    videoUrlTemplate: sandbox.env.VIDNET_VIDEO_URL,
    channelUrlTemplate: sandbox.env.VIDNET_CHANNEL_URL,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
    guard,
    maxFileBytes: 1024 ** 3,
    maxVideoHeight: 1080,
  };
  const starter = createWarmYtdlp(settings);
  await starter.ready();
  const source = createYtdlpSource({ ...settings, starter });
  const folder = join(dataDir, 'fetched');
  const { signal } = new AbortController();
  const limits = { signal, timeoutMs: 60_000, maxMediaSeconds: 3_600, onProgress: () => undefined };
  return {
    async fetch(id: string) {
      await mkdir(folder);
      await source.fetchAudio(id, { ...limits, folder });
      await rm(folder, { recursive: true });
    },
    async stop() {
      await starter.close();
      await guard.close();
    },
  };
}
