import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../../../outbound/forward-proxy.ts';
import { createWarmYtdlp } from '../../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { createYtdlpSource } from '../../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { Finding, Part } from '../part.ts';
import { inTurn, median, timed } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';

const WARM_UP = 3;
const JOBS_PER_ROUND = 10;
/** The times at which a job was requested and answered, by the clock that the engines also use. */
interface SeenJob {
  readonly id: string;
  readonly requestedMs: number;
  readonly answeredMs: number;
}

/** The steps of a job, in order. */
const STEPS = {
  accept: 'request to start of the workflow',
  begin: 'start to the scheduling of the fetch',
  queue: 'scheduling to its start',
  fetch: 'the fetch activity',
  end: 'its end to the end of the record',
  close: 'end of the record to that of the workflow',
  answer: 'end of the workflow to the answer',
} as const;
type JobSteps = Readonly<Record<keyof typeof STEPS, number>>;

const answerSchema = z.object({ data: z.object({ id: z.string() }) });

/** Measures one job on an idle service, in total and by steps. The reference is the fetch alone. */
export const oneJob: Part = {
  title: 'One job on an idle service',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], videos: jobs + WARM_UP }, async (bench) => {
      const fetcher = await startFetcher(bench, dataDir);
      const seen: SeenJob[] = [];
      const job = async (index: number): Promise<void> => {
        const requestedMs = Date.now();
        const response = await fetch(`${bench.stack.restUrl}/api/downloads/audio`, {
          method: 'POST',
          headers: { prefer: 'wait=60' },
          body: JSON.stringify({ vidnet_video_id: bench.ids[index] }),
        });
        if (response.status !== 200) throw new Error(`answered ${String(response.status)}: ${await response.text()}`);
        const { data } = answerSchema.parse(await response.json());
        seen.push({ id: data.id, requestedMs, answeredMs: Date.now() });
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
        // The steps are read after all jobs, so that reading does not slow a job down.
        const steps = await Promise.all(seen.map((one) => stepsOf(bench, one)));
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

/** Reads the steps of a job that has ended and has one activity. @throws when its history lacks one */
async function stepsOf({ db, temporal }: Bench, job: SeenJob): Promise<JobSteps> {
  const records = db.collection<{ _id: string; subjectId: string; finishedAt: string }>('records');
  const record = await records.findOne({ _id: job.id });
  if (record === null) throw new Error(`there is no record ${job.id}`);
  const history = await temporal.workflow.getHandle(record.subjectId).fetchHistory();
  const events = history.events ?? [];
  type HistoryEvent = (typeof events)[number];
  const at = (what: string, isIt: (event: HistoryEvent) => unknown): number => {
    const time = events.find(isIt)?.eventTime;
    if (!time) throw new Error(`the history of ${record.subjectId} lacks: ${what}`);
    return Number(time.seconds) * 1_000 + (time.nanos ?? 0) / 1e6;
  };
  const moments = [
    job.requestedMs,
    at('its start', (event) => event.workflowExecutionStartedEventAttributes),
    at('an activity', (event) => event.activityTaskScheduledEventAttributes),
    at('the start of the activity', (event) => event.activityTaskStartedEventAttributes),
    at('the end of the activity', (event) => event.activityTaskCompletedEventAttributes),
    Date.parse(record.finishedAt),
    at('its end', (event) => event.workflowExecutionCompletedEventAttributes),
    job.answeredMs,
  ];
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  const took = names.map((name, index) => [name, (moments[index + 1] ?? NaN) - (moments[index] ?? NaN)] as const);
  return Object.fromEntries(took) as Record<keyof typeof STEPS, number>;
}

function stepFindings(steps: readonly JobSteps[]): Finding[] {
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
  return names.map((name) => ({
    what: `step ${name}: ${STEPS[name]}`,
    unit: 'ms',
    value: median(steps.map((one) => one[name])),
  }));
}

/** Starts the fetcher of a worker: a warm yt-dlp behind the forward proxy. */
async function startFetcher({ sandbox, tools }: Bench, dataDir: string) {
  const { MEDIA_ALLOWED_NETWORKS: allowedNetworks } = loadConfig(sandbox.env);
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
