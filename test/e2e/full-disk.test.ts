import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { progressSchema, type Progress } from '../../contract/http/fields.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { bucketSettings } from '../helpers/file-stores.ts';
import { runTool } from '../helpers/media.ts';
import { TestService } from '../helpers/service.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';

const SMALL_DISK_MIB = 5;
let mediaDir: string;
let service: TestService;
/** Of the work folder, where mounting is allowed. */
let disk: SmallDisk | undefined;
const workers: Stack[] = [];

beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=60:r=44100', '-ac', '2'];
  await runTool(inject('tools').ffmpeg, ['-v', 'error', ...noise, join(mediaDir, 'large.wav')]);
  const env = { FILES_STORE: 's3', ...(await bucketSettings()) };
  service = await TestService.start({ mediaDir, env, services: ['api'] });
  if (canMount) disk = mountSmallDisk(workFolder(), SMALL_DISK_MIB);
}, 120_000);
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  disk?.unmount();
  await service.stop();
  await rm(mediaDir, { recursive: true, force: true });
});

const workFolder = (): string => join(service.dataDir, 'work');

async function startWorker(minFreeBytes: string): Promise<Stack> {
  const { dataDir } = service;
  const env = { ...service.stack.env, MIN_FREE_BYTES: minFreeBytes };
  const output = { dir: dataDir };
  const worker = await startStack({ env, dataDir, services: ['worker'], ports: 'free', log: () => undefined, output });
  workers.push(worker);
  return worker;
}

const waitingOf = (id: string): Promise<Progress> =>
  until(
    async () => {
      const { progress } = (await service.getDownload(id)).body.data;
      return progress?.until === undefined ? undefined : progressSchema.parse(progress);
    },
    { what: `why ${id} waits`, within: 60_000 },
  );

describe('a service', () => {
  it('accepts jobs without a worker, delays downloads on a full disk, and runs them when space is free', async () => {
    for (const missing of ['NoSuch_0000', 'NoSuch_0001']) {
      const accepted = await service.requestAudio(missing);
      expect(accepted.status).toBe(202);
      const read = await service.getDownload(accepted.body.data.id);
      expect(read.body.data).toMatchObject({ status: 'pending', media_id: missing });
    }
    const video = service.videoId('ordinary');
    const { id } = (await service.requestAudio(video)).body.data;
    expect((await service.requestAudio(video)).body).toMatchObject({ code: 'pending_duplicate', id });

    const starved = await startWorker(String(10 ** 15));
    const progress = await waitingOf(id);
    expect(progress).toMatchObject({ stage: 'waiting', reason: 'The service has no space left.' });
    expect(await service.filesOnDisk()).toEqual({ published: [], work: [] });
    const transcript = await service.request<{ status: string }>('POST', '/api/transcripts', {
      body: { vidnet_video_id: video, language: 'en' },
      headers: { prefer: 'wait=30' },
    });
    expect(transcript.status).toBe(200);

    await starved.stop();
    await startWorker('0');
    expect(await service.ended(id, 90_000)).toMatchObject({ status: 'success', cost: '0.005' });
  }, 180_000);

  it.runIf(canMount)(
    'delays a job that does not fit into the work folder, runs one that fits, and continues when space is free',
    async () => {
      const large = service.sandbox.catalogue.find((video) => video.title.startsWith('large'))!.id;
      const { id } = (await service.requestAudio(large)).body.data;
      expect(await waitingOf(id)).toMatchObject({ stage: 'waiting', reason: 'The service has no space left.' });
      expect(await readdir(workFolder())).toEqual([]);
      const small = await service.finishedAudio(service.videoId('ordinary', 1));
      expect(small).toMatchObject({ status: 'success' });

      disk?.resize(64);
      const ended = await service.ended(id, 120_000);
      expect(ended).toMatchObject({ status: 'success' });
      expect((await fetch(ended.audio_url!, { headers: { range: 'bytes=-10' } })).status).toBe(206);
      expect(await readdir(workFolder())).toEqual([]);
    },
    240_000,
  );
});
