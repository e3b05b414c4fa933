import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { progressSchema, type Progress } from '../../contract/fields.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { bucketSettings } from '../helpers/file-stores.ts';
import { runTool } from '../helpers/media.ts';
import { TestService } from '../helpers/service.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';

let mediaDir: string;
beforeAll(async () => {
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=60:r=44100', '-ac', '2'];
  await runTool(inject('tools').ffmpeg, ['-v', 'error', ...noise, join(mediaDir, 'large.wav')]);
});
afterAll(() => rm(mediaDir, { recursive: true, force: true }));

const waitingOf = (service: TestService, id: string): Promise<Progress> =>
  until(
    async () => {
      const { progress } = (await service.getDownload(id)).body.data;
      return progress?.until === undefined ? undefined : progressSchema.parse(progress);
    },
    { what: `why ${id} waits`, within: 60_000 },
  );

describe('a service without space', () => {
  let service: TestService;
  const workers: Stack[] = [];
  const aWorker = async (minFreeBytes: string): Promise<Stack> => {
    const { dataDir } = service;
    const env = { ...service.stack.env, MIN_FREE_BYTES: minFreeBytes };
    const output = { dir: dataDir };
    const worker = await startStack({ env, dataDir, roles: ['worker'], ports: 'free', log: () => undefined, output });
    workers.push(worker);
    return worker;
  };
  beforeAll(async () => {
    service = await TestService.start({ roles: ['api'] });
  }, 120_000);
  afterAll(async () => {
    for (const worker of workers) await worker.stop();
    await service.stop();
  });

  it('lets downloads wait and says why, does what needs no space, and goes on when there is some', async () => {
    const starved = await aWorker(String(10 ** 15));
    const { id } = (await service.requestAudio(service.videoId('ordinary'))).body.data;
    const progress = await waitingOf(service, id);
    expect(progress).toMatchObject({ stage: 'waiting', reason: 'The service has no space left.' });
    expect(await service.filesOnDisk()).toEqual({ published: [], work: [] });
    const transcript = await service.request<{ status: string }>('POST', '/api/transcripts', {
      body: { vidnet_video_id: service.videoId('ordinary'), language: 'en' },
      headers: { prefer: 'wait=30' },
    });
    expect(transcript.status).toBe(200);

    await starved.stop();
    await aWorker('0');
    expect(await service.ended(id, 90_000)).toMatchObject({ status: 'success', cost: '0.005' });
  }, 180_000);
});

describe.runIf(canMount)('a service whose work folder is full', () => {
  it('parks the job that does not fit, does the one that fits, and goes on when there is space', async () => {
    const env = { FILES_STORE: 's3', ...(await bucketSettings()), MIN_FREE_BYTES: '0' };
    const service = await TestService.start({ mediaDir, env });
    const work = join(service.dataDir, 'work');
    const disk = mountSmallDisk(work, 5);
    try {
      const large = service.sandbox.catalogue.find((video) => video.title.startsWith('large'))!.id;
      const { id } = (await service.requestAudio(large)).body.data;
      expect(await waitingOf(service, id)).toMatchObject({
        stage: 'waiting',
        reason: 'The service has no space left.',
      });
      expect(await readdir(work)).toEqual([]);
      const small = await service.finishedAudio(service.videoId('ordinary'));
      expect(small).toMatchObject({ status: 'success' });

      disk.resize(64);
      const ended = await service.ended(id, 120_000);
      expect(ended).toMatchObject({ status: 'success' });
      expect((await fetch(ended.audio_url!, { headers: { range: 'bytes=-10' } })).status).toBe(206);
      expect(await readdir(work)).toEqual([]);
    } finally {
      disk.unmount();
      await service.stop();
    }
  }, 240_000);
});
