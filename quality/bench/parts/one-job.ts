import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../../../outbound/forward-proxy.ts';
import { createWarmYtdlp } from '../../../sources/vidnet/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../../sources/vidnet/yt-dlp-settings.ts';
import { createYtdlpSource } from '../../../sources/vidnet/yt-dlp.ts';
import type { Part } from '../part.ts';
import { inTurn, timed } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';
import { median } from '../statistics.ts';

const WARM_UP = 3;
const JOBS_PER_ROUND = 10;

/** From the request for a job to its answer when nothing else runs, over what the fetch takes by itself. */
export const oneJob: Part = {
  title: 'One job on an idle service',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    return withBench({ dataDir, engine, say, roles: ['api', 'worker'], videos: jobs + WARM_UP }, async (bench) => {
      const fetcher = await startFetcher(bench, dataDir);
      const job = async (index: number): Promise<void> => {
        const response = await fetch(`${bench.stack.restUrl}/api/downloads/audio`, {
          method: 'POST',
          headers: { prefer: 'wait=60' },
          body: JSON.stringify({ vidnet_video_id: bench.ids[index] }),
        });
        if (response.status !== 200) throw new Error(`answered ${String(response.status)}: ${await response.text()}`);
        await response.text();
      };
      try {
        for (let index = jobs; index < jobs + WARM_UP; index += 1) {
          await job(index);
          await fetcher.fetch(bench.ids[index] ?? '');
        }
        const tookMs = await inTurn(jobs, {
          ours: (round) => timed(() => job(round)),
          fetch: (round) => timed(() => fetcher.fetch(bench.ids[round] ?? '')),
        });
        const reference = { what: 'the warm fetch', value: median(tookMs.fetch) };
        const value = median(tookMs.ours);
        return {
          findings: [
            { what: 'one job', unit: 'ms', value, reference, isChief: true },
            { what: 'of that beside the fetch', unit: 'ms', value: value - reference.value },
          ],
          raw: tookMs,
        };
      } finally {
        await fetcher.stop();
      }
    });
  },
};

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
