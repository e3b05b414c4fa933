import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaResultSchema, type MediaResult } from '../../contract/kinds/media.ts';
import { datasetStats, imgnetIndex, postUrl, shortcodeOf, type ImgnetIndex } from '../helpers/imgnet.ts';
import { decode, probe } from '../helpers/media.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let index: ImgnetIndex;
beforeAll(async () => {
  service = await TestService.shared();
  index = await imgnetIndex(service);
}, 120_000);
afterAll(() => service.stop());

const request = (url: string, more: object = {}) =>
  service.request<MediaResult>('POST', '/api/downloads/media', {
    body: { url, format: 'video', ...more },
    headers: { prefer: 'wait=60' },
  });
const nameOf = (link: string): string => new URL(link).pathname.split('/').at(-1) ?? '';
const started = async (key: string): Promise<number> => (await datasetStats(service)).started[key] ?? 0;

describe('the files of a post', () => {
  it('are all pictures and videos in order, fetched and charged once, also in the archive of a batch', async () => {
    const url = postUrl(index, 'carousel');
    const shortcode = shortcodeOf(url);
    const answers = await Promise.all([request(url), request(`${url}?igsh=shared`), request(url)]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const { status, body } = answers[0];
    expect(mediaResultSchema.parse(body)).toEqual(body);
    expect([status, body.data]).toMatchObject([
      200,
      { type: 'media', status: 'success', cost: '0.010', audio_url: null },
    ]);
    const links = body.data.file_urls ?? [];
    expect(links.map(nameOf)).toEqual(['1.png', '2.mp4', '3.png', '4.mp4'].map((end) => `${shortcode}-${end}`));
    const types = await Promise.all(links.map(async (link) => (await fetch(link)).headers.get('content-type')));
    expect(types).toEqual(['image/png', 'video/mp4', 'image/png', 'video/mp4']);
    for (const link of [links[1]!, links[3]!]) {
      expect((await probe(link)).streams.map(({ codec_type: type }) => type).sort()).toEqual(['audio', 'video']);
      expect((await decode(link)).some((sample) => sample !== 0)).toBe(true);
    }
    expect(body.data.transcript_speaker_id).toBe(body.data.id);
    expect(await started(`posts ${shortcode}`)).toBe(1);

    const batch = await service.request<{ id: string; status: string }>('POST', '/api/batches', {
      body: { items: [{ operation: 'requestMedia', url, format: 'video' }] },
    });
    const path = `/api/batches/${batch.body.id}`;
    await until(async () => (await service.request<{ status: string }>('GET', path)).body.status === 'finished', {
      what: 'the end of the batch',
    });
    const archive = Buffer.from(await (await fetch(`${service.stack.restUrl}${path}/archive.zip`)).arrayBuffer());
    for (const ending of ['.png', '-2.mp4', '-3.png', '-4.mp4']) expect(archive.toString('latin1')).toContain(ending);
  }, 120_000);

  it.each([
    ['image', ['png']],
    ['reel', ['mp4']],
  ])(
    'of the case %s are %j',
    async (kind, endings) => {
      const { body } = await request(postUrl(index, kind));
      expect(body.data.file_urls?.map((link) => nameOf(link).split('.').at(-1))).toEqual(endings);
    },
    90_000,
  );

  it('use fresh links when those of the content have expired', async () => {
    const url = postUrl(index, 'video');
    await service.misbehave({ target: 'dataset', mode: 'media_ttl', dataset: 'posts', seconds: 1, times: 1 });
    const content = await service.request<{ video_url: string }>('POST', '/api/imgnet/content', {
      body: { url },
      headers: { prefer: 'wait=60' },
    });
    await until(async () => (await fetch(content.body.video_url)).status === 403, { what: 'the links to expire' });
    expect((await request(url)).body.data).toMatchObject({ status: 'success', file_urls: [expect.any(String)] });
    expect(await started(`posts ${shortcodeOf(url)}`)).toBe(2);
  }, 90_000);

  it.each([
    ['format', { format: 'audio' }],
    ['max_height', { max_height: 360 }],
  ])('are kept as they are: another %s is refused', async (path, more) => {
    const { status, body } = await request(postUrl(index, 'paid'), more);
    expect([status, body]).toMatchObject([400, { code: 'invalid_input', details: [{ path }] }]);
  });
});
