import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MediaInfo } from '../../contract/kinds/media-info.ts';
import { TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.shared();
}, 120_000);
afterAll(() => service.stop());

const look = (url: string) =>
  service.request<MediaInfo>('POST', '/api/media/info', { body: { url }, headers: { prefer: 'wait=60' } });

describe('a look at a page', () => {
  it('is free, answered from the first look for ten minutes, and fetches no media', async () => {
    const id = service.videoId('ordinary');
    const first = await look(id);
    expect([first.status, first.body.title, first.body.cost]).toEqual([200, 'How long should tea brew?', '0.000']);
    const reads = (await service.served(id)).page_reads;
    const [again, other] = [await look(`https://youtu.be/${id}`), await look(id)];
    expect([again.body.download.id, other.body.download.id]).toEqual(Array(2).fill(first.body.download.id));
    expect((await service.served(id)).page_reads).toBe(reads);
  }, 90_000);

  it('counts the 5,000 entries of a playlist in less than 100 kB', async () => {
    const list = service.sandbox.playlists[0]!.id;
    const { status, body } = await look(new URL(`/playlist?list=${list}`, service.sandbox.env.VIDNET_VIDEO_URL).href);
    expect([status, body.kind, body.entry_count]).toEqual([200, 'playlist', 5000]);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
  }, 90_000);

  it('fails with the reason of the platform', async () => {
    const { status, body } = await look(service.videoId('private'));
    expect([status, body]).toMatchObject([400, { status: 'failed', code: 'private', cost: '0.000' }]);
  }, 90_000);
});
