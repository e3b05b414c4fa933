import { afterAll, beforeAll, expect, it } from 'vitest';
import { progressSchema } from '../../contract/fields.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const MAX_JOBS = 2;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({
    env: { VIDNET_MAX_JOBS: String(MAX_JOBS), UPSTREAM_FIRST_PAUSE_SECONDS: '3' },
  });
}, 120_000);
afterAll(() => service.stop());

it('jobs wait while the platform refuses, say why and until when, and all succeed afterwards', async () => {
  const playable = ['ordinary', 'hd1080', 'hd720', 'vp9_opus', 'opus_only', 'automatic_captions'];
  const videos = playable.map((kind) => service.videoId(kind));
  await service.misbehave({ video: '*', target: 'page', mode: '429' });
  const accepted = await Promise.all(videos.map((video) => service.requestAudio(video)));
  const ids = accepted.map(({ body }) => body.data.id);

  for (const id of ids) {
    const progress = await until(
      async () => {
        const { data } = (await service.getDownload(id)).body;
        return data.progress?.until === undefined ? undefined : progressSchema.parse(data.progress);
      },
      { what: `why ${id} waits` },
    );
    expect(progress).toMatchObject({ stage: 'waiting', reason: 'The video platform asks us to slow down.' });
    // The pause may have been made longer since.
    expect(Date.parse(progress.until!)).toBeGreaterThan(Date.now() - 10_000);
  }
  const served = await Promise.all(videos.map((video) => service.served(video)));
  const asked = served.reduce((sum, { page_reads: reads }) => sum + reads, 0);
  // Those that had a turn when it began, and a probe after each pause so far.
  expect(asked).toBeLessThanOrEqual(MAX_JOBS + 3);

  await service.misbehave({ video: '*', mode: 'off' });
  for (const id of ids) expect(await service.ended(id)).toMatchObject({ status: 'success', cost: '0.005' });
}, 120_000);
