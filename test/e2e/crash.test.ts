import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ProcessName } from '../../local/stack.ts';
import { runTool } from '../helpers/media.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let receiver: WebhookReceiver;
let mediaDir: string;
const VIDEOS = 9;
/** More than the waits within, which say what was not there. */
const LIMIT_MS = 200_000;
let nextVideo = 0;
let killed: readonly { readonly name: ProcessName; readonly pid: number }[] = [];

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  for (let index = 0; index < VIDEOS; index += 1) {
    const tone = `sine=f=${String(300 + 40 * index)}:d=4:r=16000`;
    await runTool(inject('tools').ffmpeg, [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      tone,
      join(mediaDir, `tone${String(index)}.wav`),
    ]);
  }
  // Engines of its own: they are killed too.
  service = await TestService.start({ mediaDir, ownEngines: true, env: { SHUTDOWN_GRACE_SECONDS: '1' } });
  receiver = await startWebhookReceiver();
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

/** A slow download (4 s of transfer) that is accepted and has begun. */
async function runningJob(): Promise<{ id: string; video: string }> {
  const tones = service.sandbox.catalogue.filter((video) => video.title.startsWith('tone'));
  const video = tones[nextVideo++]!.id;
  await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 32_000 });
  const { id } = (await service.requestAudio(video, receiver.url)).body.data;
  return { id, video };
}

async function untilFetching(id: string): Promise<void> {
  await until(async () => (await service.getDownload(id)).body.data.progress?.stage === 'fetching', {
    what: 'the fetch',
  });
}

/** One success, one file, one charge, one webhook, and nothing left over; and other processes in place of the killed ones. */
async function expectDoneOnce({ id, video }: { id: string; video: string }): Promise<void> {
  expect(await service.ended(id, 90_000)).toMatchObject({ status: 'success', duration: '00:00:04', cost: '0.005' });
  const posts = await until(
    () => {
      const own = receiver.posts.filter((post) => post.headers['x-webhook-download-id'] === id);
      return own.length > 0 ? own : undefined;
    },
    { what: 'the webhook', within: 60_000 },
  );
  expect(posts[0]!.headers['x-webhook-original-status']).toBe('200');
  const deliveries = await until(
    async () => {
      const all = await withDatabase((db) => db.collection('deliveries').find({ recordId: id }).toArray());
      return all.length > 0 && all.every(({ state }) => state !== 'pending') ? all : undefined;
    },
    { what: 'the end of the delivery', within: 60_000 },
  );
  expect(deliveries.map(({ state }) => state as string)).toEqual(['delivered']);
  // However often it is posted: what was received but is not on record is posted again.
  const own = receiver.posts.filter((post) => post.headers['x-webhook-download-id'] === id);
  expect(new Set(own.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`${id}-1`]));
  const { published, work } = await service.filesOnDisk();
  expect(published.filter((name) => name.startsWith(id))).toEqual([`${id}/${video}.m4a`]);
  expect(work).toEqual([]);
  const charged = await withDatabase((db) =>
    db.collection('records').find({ mediaId: video, status: 'success' }).toArray(),
  );
  expect(charged.map((record) => record['charge'] as number)).toEqual([5]);
  await until(
    () =>
      killed.every(({ name, pid }) => service.stack.processes().some((one) => one.name === name && one.pid !== pid)),
    { what: 'other processes' },
  );
}

/** With a new client each time: one of the driver that loses its server may wait for it without an end. */
async function withDatabase<Result>(look: (db: Db) => Promise<Result>): Promise<Result> {
  const client = await MongoClient.connect(service.stack.mongodbUri);
  try {
    return await look(client.db(service.stack.env['MONGODB_DATABASE']));
  } finally {
    await client.close();
  }
}

function kill(...names: ProcessName[]): void {
  killed = service.stack.processes().filter(({ name }) => names.includes(name));
  for (const name of names) service.stack.kill(name, 'SIGKILL');
}

describe('a job survives the sudden end of', () => {
  it(
    'the api, right after it accepted',
    async () => {
      const job = await runningJob();
      kill('api');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );

  it(
    'the worker, in the middle of the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job.id);
      kill('worker');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );

  it(
    'api and worker, as soon as the job exists',
    async () => {
      const job = await runningJob();
      kill('api', 'worker');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );

  it(
    'Temporal, in the middle of the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job.id);
      kill('temporal');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );

  it(
    'MongoDB, in the middle of the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job.id);
      kill('mongodb');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );

  it(
    'everything at once',
    async () => {
      const job = await runningJob();
      await untilFetching(job.id);
      kill('api', 'worker', 'temporal', 'mongodb');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );
});

describe('a job survives the orderly end of', () => {
  it(
    'the worker, whose grace time is shorter than the download',
    async () => {
      const job = await runningJob();
      await untilFetching(job.id);
      service.stack.kill('worker', 'SIGTERM');
      await expectDoneOnce(job);
    },
    LIMIT_MS,
  );
});

describe('while an engine is silent', () => {
  it('a request is told to come back, and served afterwards', async () => {
    service.stack.kill('temporal', 'SIGSTOP');
    const silent = await service.requestAudio('NoSuchVideo').finally(() => service.stack.kill('temporal', 'SIGCONT'));
    expect([silent.status, silent.body.code]).toEqual([503, 'unavailable']);
    expect(silent.headers.get('retry-after')).toBe('5');
    const served = await until(async () => {
      const answer = await service.requestAudio('NoSuchVideo');
      return answer.status === 503 ? undefined : answer;
    });
    // The first request may have started the job after all.
    expect([202, 409]).toContain(served.status);
  }, 60_000);
});

describe('a webhook survives the sudden end of the worker', () => {
  it(
    'between its attempts',
    async () => {
      let answer = 500;
      const flaky = await startWebhookReceiver(() => answer);
      const tones = service.sandbox.catalogue.filter((video) => video.title.startsWith('tone'));
      const { id } = (await service.requestAudio(tones[nextVideo++]!.id, flaky.url)).body.data;
      const found = (filter: object) => withDatabase((db) => db.collection('deliveries').findOne(filter));
      // On record, and not only received: an attempt that the worker did not live to record is made again.
      await until(() => found({ recordId: id, 'attempts.1.statusCode': 500 }), {
        what: 'the first attempt',
        within: 60_000,
      });
      kill('worker');
      answer = 200;
      await until(() => flaky.posts.length === 2, { what: 'the second attempt', within: 60_000 });
      const delivery = await until(() => found({ recordId: id, state: 'delivered' }));
      expect(Object.keys(delivery['attempts'] as object)).toEqual(['1', '2']);
      await flaky.close();
    },
    LIMIT_MS,
  );
});
