import { readFile } from 'node:fs/promises';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaResultSchema, type MediaResult } from '../../contract/kinds/media.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { probe, transportStream } from '../helpers/media.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const MEDIA = new URL('../../local/sandbox/catalogue/media/tea/', import.meta.url);
const video = (src: string): string => `<video><source src="${src}" type="video/mp4"></video>`;
const page = (...videos: string[]) => ({ type: 'text/html', body: `<title>Tea</title>${videos.join('')}` });

let service: TestService;
let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.start();
  site.set('/tea.m4a', { type: 'audio/mp4', body: await readFile(new URL('140.m4a', MEDIA)) });
  site.set('/tea.mp4', { type: 'video/mp4', body: await readFile(new URL('160.mp4', MEDIA)) });
  site.set('/video', page(video('/tea.mp4')));
  site.set('/part.ts', { type: 'video/mp2t', body: await transportStream(new URL('160.mp4', MEDIA)) });
  const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXTINF:60,\n/part.ts\n#EXT-X-ENDLIST\n';
  site.set('/parts.m3u8', { type: 'application/vnd.apple.mpegurl', body: playlist });
  site.set('/parts', page('<video><source src="/parts.m3u8" type="application/x-mpegURL"></video>'));
  site.set('/shared', page(video('/shared.mp4')));
  site.set('/shared.mp4', { type: 'video/mp4', body: await readFile(new URL('160.mp4', MEDIA)) });
  site.set('/several', page(video('/tea.mp4'), video('/tea.mp4?again')));
  service = await TestService.shared();
}, 120_000);
afterAll(async () => {
  await service.stop();
  await site.stop();
});

function request(path: string, format: 'audio' | 'video', more: object = {}) {
  const body = { url: `${site.url}${path}`, format, ...more };
  return service.request<MediaResult>('POST', '/api/downloads/media', { body, headers: { prefer: 'wait=60' } });
}

describe('the media of a page of any site', () => {
  it.each([
    ['/tea.m4a', 'audio', 'aac'],
    ['/video', 'video', 'h264'],
    ['/parts', 'video', 'h264'],
  ] as const)(
    'become a verified file: %s as %s',
    async (path, format, codec) => {
      const { status, body } = await request(path, format);
      expect([status, body.data.status]).toEqual([200, 'success']);
      const { data } = mediaResultSchema.parse(body);
      const file = await fetch(data.file_urls![0]!);
      expect(file.headers.get('content-type')).toBe(format === 'audio' ? 'audio/mp4' : 'video/mp4');
      await file.body?.cancel();
      expect(data.audio_url).toBe(format === 'audio' ? data.file_urls![0]! : null);
      const { streams } = await probe(data.file_urls![0]!);
      expect(streams.map(({ codec_name }) => codec_name)).toEqual([codec]);

      const asked = site.requests.length;
      const again = await request(`${path}?utm_source=elsewhere`, format);
      expect([again.status, again.body.data.id]).toEqual([200, data.id]);
      expect(site.requests).toHaveLength(asked);
      expect((await service.request<MediaResult>('GET', `/downloads/${data.id}`)).body.data).toMatchObject({ format });
    },
    90_000,
  );

  it.each([
    ['audio', { container: 'mp3', embed: ['tags'], section: { from: 2, to: 6 } }, ['mp3'], 4],
    ['video', { section: { from: 2, to: 6, exact: true } }, ['h264', 'aac'], 4],
    ['video', { section: { from: 2, to: 6 }, container: 'mkv' }, ['h264', 'aac'], 4],
  ] as const)('are %s with %j, with the title as the name of the file', async (format, options, codecs, seconds) => {
    const url = `https://www.youtube.com/watch?v=${service.videoId('regional_captions')}`;
    const body = { url, format, ...options };
    const { body: answer } = await service.request<MediaResult>('POST', '/api/downloads/media', {
      body,
      headers: { prefer: 'wait=60' },
    });
    const [link = ''] = mediaResultSchema.parse(answer).data.file_urls ?? [];
    const { streams, duration } = await probe(link);
    expect(streams.map(({ codec_name }) => codec_name).toSorted()).toEqual(codecs.toSorted());
    expect(Math.abs(duration - seconds)).toBeLessThan(5);
    const named = (await fetch(link, { method: 'HEAD' })).headers.get('content-disposition');
    expect(named).toMatch(/; filename\*=UTF-8''The%20bridge/);
  });

  it('are fetched once for all who ask at the same time', async () => {
    const { length } = site.requests;
    const answers = await Promise.all(
      ['', '#t=5', '?utm_source=b', '#x'].map((end) => request(`/shared${end}`, 'video')),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.map(({ body }) => body.data.status)).toEqual(Array.from(answers, () => 'success'));
    expect(site.requests.slice(length).filter((path) => path === '/shared.mp4').length).toBeLessThanOrEqual(3);
  }, 90_000);

  it('is told to a webhook, in the words of the answer', async () => {
    const receiver = await startWebhookReceiver();
    try {
      const { body } = await request('/tea.mp4', 'video', { include_webhook: receiver.url });
      const post = await until(() => receiver.posts[0], { within: 30_000, what: 'the webhook' });
      expect(post.headers['x-webhook-endpoint']).toBe('downloads/media');
      expect((JSON.parse(post.body) as MediaResult).data.id).toBe(body.data.id);
    } finally {
      await receiver.close();
    }
  }, 90_000);

  it.each([
    ['/several', 'The page holds several videos. Request one of them by its own page.'],
    ['/missing', 'The page was removed or does not exist.'],
  ])(
    'fails, costs nothing, and says why: %s',
    async (path, response) => {
      const { status, body } = await request(path, 'video');
      expect(status).toBe(400);
      expect(body.data).toMatchObject({ status: 'failed', cost: '0.000', response, file_urls: null });
    },
    90_000,
  );

  it('is had by services of ours over tRPC', async () => {
    const { rpcUrl, rpcToken } = service.stack;
    const rpc = createRpcClient(rpcUrl, { token: rpcToken });
    const { data } = await rpc.downloads.media.mutate({ url: `${site.url}/video`, format: 'video', wait_seconds: 60 });
    expect(data).toMatchObject({ type: 'media', status: 'success' });
  }, 90_000);
});
