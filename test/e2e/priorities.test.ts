import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
beforeAll(async () => {
  // One slot for all jobs of the platform.
  service = await TestService.start({ env: { VIDNET_MAX_JOBS: '1', MAX_FETCHES: '1' } });
}, 120_000);
afterAll(() => service.stop());

it('an interactive request goes before bulk requests that wait for longer', { timeout: 240_000 }, async () => {
  const first = service.videoId('ordinary', 0);
  const videos = service.sandbox.catalogue.filter(({ case: one, id }) => one === 'ordinary' && id !== first);
  // Jobs that take seconds, so that no further one ends before the states are read.
  for (const video of [first, ...videos.map(({ id }) => id)]) {
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 40_000 });
  }
  const request = async (kind: 'audio' | 'video', id: string, priority: string): Promise<string> => {
    const body = { vidnet_video_id: id, priority };
    const answer = await service.request<{ data: { id: string } }>('POST', `/api/downloads/${kind}`, { body });
    expect(answer.status).toBe(202);
    return answer.body.data.id;
  };
  await request('audio', first, 'normal');
  await until(async () => (await service.served(first)).media_requests > 0, { what: 'the first job in the slot' });
  const bulk: string[] = [];
  for (const { id } of videos) bulk.push(await request('audio', id, 'bulk'), await request('video', id, 'bulk'));
  expect(bulk.length).toBeGreaterThanOrEqual(4);
  const interactive = await request('audio', service.videoId('automatic_captions'), 'interactive');
  await service.ended(interactive, 120_000);
  const states = await Promise.all(bulk.map(async (id) => (await service.getDownload(id)).body.data.status));
  // The slot may have been given to one of them before the request came.
  expect(states.filter((state) => state !== 'pending').length).toBeLessThanOrEqual(1);
});
