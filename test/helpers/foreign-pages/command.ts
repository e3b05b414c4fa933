import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { AudioResult } from '../../../contract/kinds/audio.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../local/webhook-receiver.ts';
import { until } from '../until.ts';

const ROOT = join(import.meta.dirname, '../../..');
const START_WITHIN_MS = 120_000;

/** What was there before an attack, and what an attack is aimed at. */
export interface Prey {
  readonly videoId: string;
  readonly recordId: string;
  /** Path of its file, without the signature. */
  readonly filePath: string;
  readonly deliveryId: string;
  readonly runningWorkflowId: string;
  readonly receiverUrl: string;
}

/** The service as one of its commands runs it, engines included, with one job that has ended, its file and its webhook. */
export interface RunningCommand {
  readonly pid: number;
  readonly urls: { readonly rest: string; readonly rpc: string; readonly webUi: string; readonly sandbox?: string };
  readonly prey: Prey;
  /** Everything that an attack could change, in lines to compare. */
  state(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts `npm start` or `npm run sandbox`.
 *
 * @param platform settings of the sandbox that `npm start` works on, and a video of it; `npm run sandbox` brings its own
 */
export async function startCommand(
  main: 'local/main.ts' | 'local/sandbox/main.ts',
  platform?: { readonly env: Readonly<Record<string, string>>; readonly videoId: string; readonly url: string },
): Promise<RunningCommand> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-pages-'));
  const receiver = await startWebhookReceiver();
  const { ffmpeg, ffprobe } = inject('tools');
  const ytdlp = inject('ytdlp');
  const child = spawn(process.execPath, ['local/bootstrap.mjs', main], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
      ...{ TEMPORAL_ADDRESS: '', MONGODB_URI: '', TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', MONGODB_PORT: '' },
      ...{ PORT: '0', RPC_PORT: '0', SANDBOX_PORT: '0', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      // Or the limit would refuse what nothing else refuses.
      RATE_LIMIT_PER_MINUTE: '100000',
      // The audio has no speech, so no models are fetched.
      SPEECH_ENGINE: 'whisper',
      // A job that is refused waits longer than all attacks take.
      ...{ UPSTREAM_FIRST_PAUSE_SECONDS: '3600', UPSTREAM_MAX_PAUSE_SECONDS: '3600' },
      ...platform?.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise((resolve) => child.on('close', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await closed;
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await until(() => /Ctrl-C stops/.test(output) || child.exitCode !== null, { within: START_WITHIN_MS, what: main });
    const printed = (line: RegExp): string | undefined => line.exec(output)?.[1];
    const [rest, rpc, webUi] = [/^(?:REST|Service) +(\S+)/m, /^tRPC +(\S+)/m, /Web UI +(http\S+)/m].map(printed);
    if (rest === undefined || rpc === undefined || webUi === undefined) throw new Error(`${main} printed:\n${output}`);
    const sandbox = printed(/^SANDBOX_URL=(\S+)/m);
    const videoId = platform?.videoId ?? printed(/"vidnet_video_id":"([^"]+)"/) ?? '';
    const urls = { rest, rpc, webUi, ...(sandbox === undefined ? {} : { sandbox }) };
    const prey = await huntable(urls, { videoId, sandboxUrl: platform?.url ?? sandbox ?? '' }, receiver);
    return { pid: child.pid!, urls, prey, stop, state: () => stateOf(urls, dataDir, receiver) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Urls = RunningCommand['urls'];

async function huntable(
  urls: Urls,
  { videoId, sandboxUrl }: { readonly videoId: string; readonly sandboxUrl: string },
  receiver: WebhookReceiver,
): Promise<Prey> {
  const within = 60_000;
  const requested = async (body: object): Promise<AudioResult['data']> => {
    const response = await fetch(`${urls.rest}/api/downloads/audio`, { method: 'POST', body: JSON.stringify(body) });
    return ((await response.json()) as AudioResult).data;
  };
  const kept = async (id: string) => ((await json(`${urls.rest}/downloads/${id}`)) as AudioResult).data;
  const accepted = await requested({ vidnet_video_id: videoId, include_webhook: receiver.url });
  const ended = await until(
    async () => {
      const data = await kept(accepted.id);
      return data.status === 'pending' ? undefined : data;
    },
    { within, what: 'the end of the job' },
  );
  const delivery = await until(
    async () => {
      const { deliveries } = (await json(`${urls.rest}/api/webhook/deliveries`)) as {
        deliveries: { id: string; state: string }[];
      };
      return deliveries.find(({ state }) => state === 'delivered');
    },
    { within, what: 'the webhook' },
  );
  const { id: waitingId } = await requested({ vidnet_video_id: await refusedVideo(sandboxUrl, videoId) });
  await until(async () => (await kept(waitingId)).progress?.until !== undefined, { within, what: 'a job that waits' });
  // The workflows of the other job and its webhook end a moment after that is on record.
  const running = await until(
    async () => {
      const [one, ...others] = (await workflowsOf(urls)).filter(({ status }) => status.endsWith('RUNNING'));
      return others.length === 0 ? one : undefined;
    },
    { within, what: 'the end of the workflows' },
  );
  return {
    videoId,
    recordId: ended.id,
    filePath: new URL(ended.audio_url!).pathname,
    deliveryId: delivery.id,
    runningWorkflowId: running.id,
    receiverUrl: receiver.url,
  };
}

/** Another video, which the platform does not give us: its job waits. */
async function refusedVideo(sandboxUrl: string, fetchedId: string): Promise<string> {
  const { videos } = (await json(`${sandboxUrl}/`)) as { videos: readonly { id: string; case: string }[] };
  const video = videos.find((one) => one.case === 'ordinary' && one.id !== fetchedId)?.id;
  const order = { video, target: 'page', mode: '429' };
  const response = await fetch(`${sandboxUrl}/misbehave`, { method: 'POST', body: JSON.stringify(order) });
  if (video === undefined || !response.ok) throw new Error(`the sandbox refuses: ${await response.text()}`);
  return video;
}

async function stateOf(urls: Urls, dataDir: string, receiver: WebhookReceiver): Promise<string[]> {
  const files = join(dataDir, 'files');
  const published = (await readdir(files, { recursive: true })).toSorted();
  const { downloads } = (await json(`${urls.rest}/api/downloads`)) as { downloads: { id: string; status: string }[] };
  const { deliveries } = (await json(`${urls.rest}/api/webhook/deliveries`)) as { deliveries: unknown[] };
  const sizes = await Promise.all(
    published.map(async (name) => `${name} ${String((await stat(join(files, name))).size)}`),
  );
  return [
    ...sizes.map((file) => `file ${file}`),
    ...downloads.map((record) => `record ${JSON.stringify({ id: record.id, status: record.status })}`),
    ...deliveries.map((delivery) => `delivery ${JSON.stringify(delivery)}`),
    `posts to the receiver: ${String(receiver.posts.length)}`,
    ...(await workflowsOf(urls)).map(({ id, type, status }) => `workflow ${type} ${id} ${status}`).toSorted(),
    ...(urls.sandbox === undefined
      ? []
      : [`switches ${JSON.stringify(await json(`${urls.sandbox}/misbehave`))}`, await sandboxCounters(urls.sandbox)]),
  ];
}

async function sandboxCounters(url: string): Promise<string> {
  const { totals } = (await json(`${url}/stats`)) as { totals: unknown };
  return `counters ${JSON.stringify(totals)}`;
}

async function workflowsOf({ webUi }: Urls): Promise<{ id: string; type: string; status: string }[]> {
  const { executions = [] } = (await json(`${webUi}/api/v1/namespaces/default/workflows`)) as {
    executions?: { execution: { workflowId: string }; type: { name: string }; status: string }[];
  };
  return executions.map(({ execution, type, status }) => ({ id: execution.workflowId, type: type.name, status }));
}

/** As a program asks, which sends none of what a browser sends. */
async function json(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}: ${await answer.text()}`);
  return answer.json();
}
