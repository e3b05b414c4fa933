import { existsSync } from 'node:fs';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { ProcessName } from '../../local/stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { busyWarmYtdlpOf, descendantsOf } from '../../quality/processes.ts';
import { processIdentity } from '../../runtime/subprocess/process-facts.ts';
import { runTool } from './media.ts';
import { TestService } from './service.ts';
import { until } from './until.ts';

/** More than the waits within, which say what was not there. */
export const CRASH_LIMIT_MS = 200_000;

export interface RunningJob {
  readonly id: string;
  readonly video: string;
}

export interface CrashBench {
  readonly service: () => TestService;
  /** The next recording without a job. */
  readonly nextVideo: () => string;
  /** A slow download (4 s of transfer by default) that is accepted and has begun. */
  readonly runningJob: (bytesPerSecond?: number) => Promise<RunningJob>;
  readonly untilFetching: (job: RunningJob) => Promise<void>;
  readonly kill: (...names: ProcessName[]) => void;
  /** Kills the yt-dlp that is kept warm, and not its fork, which does the download. Waits until both are gone, with their folder. */
  readonly killWarmYtdlp: () => Promise<void>;
  /** One success, one file, one charge, one webhook, and nothing left over; and other processes instead of the killed ones. */
  readonly expectDoneOnce: (job: RunningJob) => Promise<void>;
  /** With a new client each time: one of the driver that loses its server may wait for it without an end. */
  readonly withDatabase: <Result>(look: (db: Db) => Promise<Result>) => Promise<Result>;
}

/** A service for a test file with engines of its own, since they are killed too. @param videos how many recordings there are */
export function useCrashBench(videos: number): CrashBench {
  let service: TestService;
  let receiver: WebhookReceiver;
  let mediaDir: string;
  let next = 0;
  let killed: readonly { readonly name: ProcessName; readonly pid: number }[] = [];

  beforeAll(async () => {
    mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
    for (let index = 0; index < videos; index += 1) {
      const tone = `sine=f=${String(300 + 40 * index)}:d=4:r=16000`;
      const file = join(mediaDir, `tone${String(index)}.wav`);
      await runTool(inject('tools').ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', tone, file]);
    }
    service = await TestService.start({ mediaDir, ownEngines: true, env: { SHUTDOWN_GRACE_SECONDS: '1' } });
    receiver = await startWebhookReceiver();
  }, 120_000);
  afterAll(async () => {
    await receiver.close();
    await service.stop();
    await rm(mediaDir, { recursive: true, force: true });
  });

  const nextVideo = (): string => {
    const tones = service.sandbox.catalogue.filter((video) => video.title.startsWith('tone'));
    return tones[next++]!.id;
  };
  const withDatabase = async <Result>(look: (db: Db) => Promise<Result>): Promise<Result> => {
    const client = await MongoClient.connect(service.stack.mongodbUri);
    try {
      return await look(client.db(service.stack.env['MONGODB_DATABASE']));
    } finally {
      await client.close();
    }
  };

  return {
    ...{ service: () => service, nextVideo, withDatabase },
    async runningJob(bytesPerSecond = 32_000) {
      const video = nextVideo();
      await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: bytesPerSecond });
      const { id } = (await service.requestAudio(video, receiver.url)).body.data;
      return { id, video };
    },
    async untilFetching({ id }) {
      await until(async () => (await service.getDownload(id)).body.data.progress?.stage === 'fetching', {
        what: 'the fetch',
        within: 60_000,
      });
    },
    kill(...names) {
      killed = service.stack.processes().filter(({ name }) => names.includes(name));
      for (const name of names) service.stack.kill(name, 'SIGKILL');
    },
    async killWarmYtdlp() {
      const worker = service.stack.processes().find(({ name }) => name === 'worker')?.pid;
      const parent = worker === undefined ? undefined : busyWarmYtdlpOf(worker);
      if (parent === undefined) throw new Error('no call of a warm yt-dlp is under way');
      const folder = await readlink(`/proc/${String(parent.pid)}/cwd`);
      const all = [parent, ...descendantsOf(parent.pid)];
      process.kill(parent.pid, 'SIGKILL');
      await until(() => all.every(({ pid, identity }) => processIdentity(pid) !== identity) && !existsSync(folder), {
        what: 'the end of the warm yt-dlp, of its calls and of its folder',
      });
    },
    async expectDoneOnce({ id, video }) {
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
          killed.every(({ name, pid }) =>
            service.stack.processes().some((one) => one.name === name && one.pid !== pid),
          ),
        { what: 'other processes' },
      );
    },
  };
}
