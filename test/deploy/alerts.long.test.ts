import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { ROOT } from '../helpers/markdown.ts';
import { runTool } from '../helpers/media.ts';
import type { TestService } from '../helpers/service.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';
import { startWatchedService, type Labels, type WatchedService } from '../helpers/watching-prometheus.ts';

const TALKS = 3;
const TALK_SECONDS = 4;
/** How much longer than the audio the engine for speech takes. */
const SLOWNESS = 2.5;
/** Requests for jobs at once. */
const BURST = 10;

let watched: WatchedService;
let service: TestService;
let mongodb: FaultProxy;
let engine: TranscriptionServer;
let receiver: WebhookReceiver;
let mediaDir: string;
/** Of the worker for media of pages alone. */
let media: Stack;
/** IDs of talks that were fetched. */
let talks: readonly string[];
const fired = new Set<string>();

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const talk = `${ROOT}local/sandbox/catalogue/media/garden/140.m4a`;
  for (let index = 0; index < TALKS; index += 1) {
    const cut = ['-i', talk, '-t', String(TALK_SECONDS), '-c', 'copy', join(mediaDir, `talk ${String(index)}.m4a`)];
    await runTool(inject('tools').ffmpeg, ['-v', 'error', ...cut]);
  }
  mongodb = await FaultProxy.start(mongodbServer(inject('mongodbUri')));
  const hear = always('One says this.');
  engine = await startTranscriptionServer({
    product: 'whisper-1',
    instead: (response, upload) => {
      setTimeout(() => hear(response, upload), upload.seconds * SLOWNESS * 1000);
      return true;
    },
  });
  // A receiver that is away.
  receiver = await startWebhookReceiver(() => 500);
  watched = await startWatchedService({
    mediaDir,
    furtherWorkers: 1,
    env: {
      MONGODB_URI: `mongodb://${mongodb.address}/`,
      ...{ SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: engine.url, MAX_SPEECH_WINDOWS: '1' },
      ...{ UPSTREAM_FIRST_PAUSE_SECONDS: '5', IMGNET_API_TOKEN: 'a-token-that-is-wrong' },
      WORKER_ROLES: 'workflows,vidnet,imgnet,speech,webhooks',
    },
  });
  service = watched.service;
  media = await startMediaWorker();
}, 300_000);
afterAll(async () => {
  await media.stop();
  await watched.stop();
  await Promise.all([mongodb.stop(), engine.stop(), receiver.close()]);
  await rm(mediaDir, { recursive: true, force: true });
});

function startMediaWorker(): Promise<Stack> {
  const [port] = watched.furtherPorts;
  return startStack({
    env: {
      ...service.stack.env,
      ...{ WORKER_ROLES: 'media', WORKER_METRICS_PORT: String(port), TEMPORAL_METRICS_PORT: '' },
    },
    ...{ dataDir: service.dataDir, services: ['worker'], ports: 'free', log: () => undefined },
    output: { dir: join(service.dataDir, 'media-worker') },
  });
}

const has = (alerts: readonly Labels[], wanted: Labels): boolean =>
  alerts.some((alert) => Object.entries(wanted).every(([name, value]) => alert[name] === value));

type Mend = () => unknown;
/** Waits until alerts are silent; then they fire by a fault, which is mended at the end. @param fault returns what mends it */
async function fires(alerts: readonly Labels[], fault: () => Mend | Promise<Mend>): Promise<void> {
  await until(
    async () => {
      const before = await watched.firing();
      return !alerts.some((alert) => has(before, alert));
    },
    { what: 'silence' },
  );
  const mend = await fault();
  try {
    for (const alert of alerts) {
      await until(async () => has(await watched.firing(), alert), { what: JSON.stringify(alert) });
      fired.add(alert['alertname'] ?? '');
    }
  } finally {
    await mend();
  }
}

async function accepted(path: string, body: object): Promise<string> {
  const { status, body: answer } = await service.request<{ data: { id: string } }>('POST', path, { body });
  expect([status, answer]).toEqual([202, expect.anything()]);
  return answer.data.id;
}

const fetchedAudio = async (body: object) => service.ended(await accepted('/api/downloads/audio', body));

/** Asks for profiles that nobody has asked for: their jobs fail at once, by the token. */
let accounts = 0;
const requestProfiles = () =>
  Promise.all(
    Array.from({ length: BURST }, () => {
      accounts += 1;
      return service.request('POST', '/api/imgnet/profile', { body: { url: `@account.${String(accounts)}` } });
    }),
  );

/** Does something again and again. @returns what ends it */
function keepDoing(what: () => Promise<unknown>): () => Promise<void> {
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) await what();
  })();
  return () => {
    over.abort();
    return running;
  };
}

describe('the shipped alerts', { timeout: 240_000 }, () => {
  it('are silent while the service is healthy', async () => {
    await until(async () => (await watched.query('up == 1')).length === 4, { what: 'four targets' });
    const videos = service.sandbox.catalogue.filter(({ title }) => title.startsWith('talk '));
    expect(videos).toHaveLength(TALKS);
    const audios = await Promise.all(videos.map(({ id }) => fetchedAudio({ vidnet_video_id: id })));
    talks = audios.map(({ id }) => id);
    const done = 'sum(tapedeck_jobs_total{outcome="success"})';
    await until(async () => (await watched.query(done))[0]?.value === TALKS, { what: 'jobs that were seen' });
    await until(async () => (await watched.firing()).length === 0, { what: 'silence' });
    // Its last attempt comes 100 s later.
    await fetchedAudio({ vidnet_video_id: service.videoId('ordinary'), include_webhook: receiver.url });
  });

  it('report slow speech and the jobs that wait for it', async () => {
    const queue = `${service.stack.env['TASK_QUEUE'] ?? ''}-speech-by-`;
    await fires([{ alertname: 'TapedeckTasksWaitLong' }, { alertname: 'TapedeckSpeechSlow' }], async () => {
      for (const id of talks) {
        const body = { transcript_with_speaker_id: id };
        const asked = () => service.request('POST', '/api/transcriptspeakerid', { body });
        await until(async () => (await asked()).status === 202, { what: 'a job for speech' });
      }
      await until(async () => has(await watched.firing(), { alertname: 'TapedeckTasksWaitLong' }), { what: 'a wait' });
      const waiting = (await watched.firing()).filter(({ alertname }) => alertname === 'TapedeckTasksWaitLong');
      expect(waiting.map((alert) => alert['queue']?.startsWith(queue))).toEqual([true]);
      return () => undefined;
    });
  });

  it('report a program that the system killed', async () => {
    await fires([{ alertname: 'TapedeckProgramsKilled', program: 'yt-dlp' }], async () => {
      const video = service.videoId('long');
      await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 1_000 });
      await accepted('/api/downloads/audio', { vidnet_video_id: video });
      const [pid] = await until(
        async () => {
          const found = await processesIn(join(service.dataDir, 'work'));
          return found.length > 0 ? found : undefined;
        },
        { what: 'a program' },
      );
      process.kill(pid!, 'SIGKILL');
      return () => service.misbehave({ video, mode: 'off' });
    });
  });

  it('report jobs that fail with an internal fault', async () => {
    await fires([{ alertname: 'TapedeckJobsFail' }], async () => {
      await requestProfiles();
      return () => undefined;
    });
  });

  it.runIf(canMount)('tell of a disk that is full', async () => {
    await fires([{ alertname: 'TapedeckDiskFull' }], async () => {
      const disk = mountSmallDisk(join(service.dataDir, 'work'), 1);
      await accepted('/api/downloads/audio', { vidnet_video_id: service.videoId('ordinary', 1) });
      return () => disk.unmount();
    });
  });

  it('report a dead worker and its queue that nobody polls', async () => {
    const instance = `127.0.0.1:${String(watched.furtherPorts[0])}`;
    const queue = `${service.stack.env['TASK_QUEUE'] ?? ''}-sites`;
    const alerts = [
      { alertname: 'TapedeckDown', instance },
      { alertname: 'TapedeckQueueNotPolled', queue },
    ];
    await fires(alerts, async () => {
      await media.stop();
      return async () => (media = await startMediaWorker());
    });
  });

  it('report a platform that refuses requests', async () => {
    await fires([{ alertname: 'TapedeckPlatformPaused', route: 'vidnet' }], async () => {
      await service.misbehave({ video: '*', target: 'page', mode: '429' });
      await accepted('/api/downloads/audio', { vidnet_video_id: service.videoId('hd720') });
      return () => service.misbehave({ video: '*', mode: 'off' });
    });
  });

  it('report a slow database', async () => {
    await fires([{ alertname: 'TapedeckAcceptSlow' }], () => {
      mongodb.spoil('latency');
      const stop = keepDoing(requestProfiles);
      return async () => {
        mongodb.mend();
        await stop();
      };
    });
  });

  it('report an unreachable database by failed requests and retried activities, and not as dead workers', async () => {
    const alerts = [{ alertname: 'TapedeckServerErrors' }, { alertname: 'TapedeckStagesRepeat', stage: 'beginJob' }];
    await until(async () => (await watched.query('up == 1')).length === 4, { what: 'four targets' });
    await fires(alerts, async () => {
      // Jobs are accepted, and begin when the database is away.
      service.stack.kill('worker', 'SIGSTOP');
      await requestProfiles();
      mongodb.spoil('down');
      service.stack.kill('worker', 'SIGCONT');
      const stop = keepDoing(() => service.request('GET', '/ready'));
      return async () => {
        const pages = ['TapedeckDown', 'TapedeckQueueNotPolled'];
        // A worker that waits for the database is none that is gone.
        await until(
          async () => {
            const firing = await watched.firing();
            return !pages.some((alertname) => has(firing, { alertname }));
          },
          { what: 'pages of workers that answer' },
        ).finally(() => mongodb.mend());
        await stop();
      };
    });
  });

  it('report a receiver that accepted no attempt at a webhook', async () => {
    const alert = { alertname: 'TapedeckWebhooksAbandoned' };
    await until(async () => has(await watched.firing('10m'), alert), { what: 'the alert', within: 150_000 });
    fired.add(alert.alertname);
  });

  it('have each fired once and end with their cause', async () => {
    const unmountable = canMount ? [] : ['TapedeckDiskFull'];
    expect([...fired, ...unmountable].sort()).toEqual([...watched.alerts].sort());
    await until(async () => (await watched.firing()).length === 0, { what: 'silence' });
  });
});

/** Programs that work in a folder. */
async function processesIn(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => folders[index]?.startsWith(folder)).map(Number);
}
