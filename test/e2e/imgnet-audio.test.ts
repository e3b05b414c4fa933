import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { downloadResultSchema } from '../../contract/kinds/kinds.ts';
import {
  imgnetAudioResultSchema,
  type ImgnetAudioRecord,
  type ImgnetNoAudio,
} from '../../contract/kinds/imgnet-audio.ts';
import { datasetStats, imgnetIndex, postUrl, shortcodeOf, type ImgnetIndex } from '../helpers/imgnet.ts';
import { decode, probe } from '../helpers/media.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService, untilAnswered, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

type Audio = { readonly data: ImgnetAudioRecord } & ImgnetNoAudio;

let service: TestService;
let index: ImgnetIndex;

beforeAll(async () => {
  service = await TestService.shared();
  index = await imgnetIndex(service);
}, 120_000);
afterAll(() => service.stop());

const post = <Body>(what: string, url: string, headers: Record<string, string> = {}): Promise<Answered<Body>> =>
  service.request('POST', `/api/imgnet/${what}`, { body: { url }, headers });
const request = (url: string): Promise<Answered<Audio>> => post('audio', url);
const ended = (url: string): Promise<Audio> => untilAnswered(() => request(url), `the end of ${url}`, 90_000);
const download = async (id: string): Promise<unknown> => (await service.request('GET', `/downloads/${id}`)).body;
const started = async (key: string): Promise<number> => (await datasetStats(service)).started[key] ?? 0;
const nameOf = (link: string): string => new URL(link).pathname.split('/').at(-1) ?? '';

describe('the audio of a post', () => {
  it('has one file for each video of a carousel, in order, from one job for 20 callers', async () => {
    const url = postUrl(index, 'carousel');
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(url)));
    const ids = new Set(answers.map(({ body }) => body.data.id));
    expect(ids.size).toBe(1);
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect(imgnetAudioResultSchema.parse(body)).toEqual(body);
      expect(body.data).toMatchObject({ status: 'pending', cost: '0.005', audio_url: null, file_urls: null });
    }

    const { data } = await ended(url);
    const [id = ''] = ids;
    const shortcode = shortcodeOf(url);
    expect(data).toMatchObject({ id, media_id: shortcode, type: 'imgnet_audio', transcript_speaker_id: id });
    expect(data).toMatchObject({ status: 'success', cost: '0.005', response: null });
    expect(data.file_urls?.map(nameOf)).toEqual([`${shortcode}-1.m4a`, `${shortcode}-2.m4a`]);
    expect(data.audio_url).toBe(data.file_urls?.[0]);
    for (const link of data.file_urls ?? []) {
      expect((await probe(link)).streams.map(({ codec_name }) => codec_name)).toEqual(['aac']);
      expect((await decode(link)).some((sample) => sample !== 0)).toBe(true);
    }
    expect(data.duration).toMatch(/^00:00:(1|2)\d$/);
    expect(data.transcript_speaker_cost).toBe('0.006');
    expect(await started(`posts ${shortcode}`)).toBe(1);

    const shown = await download(id);
    expect(downloadResultSchema.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({ data: { status: 'success', file_urls: [expect.any(String), expect.any(String)] } });
  });

  it('reuses content that was just fetched', async () => {
    const url = postUrl(index, 'reel');
    const content = await post<{ status: string }>('content', url, { prefer: 'wait=60' });
    expect(content.body.status).toBe('success');
    const { data } = await ended(url);
    expect(data.file_urls).toHaveLength(1);
    expect(await started(`reels ${shortcodeOf(url)}`)).toBe(1);
  });

  it.each(['silent', 'image', 'paid'])('of the case %s, which has none, returns the no-audio answer', async (kind) => {
    const url = postUrl(index, kind);
    const answer = await ended(url);
    expect(imgnetAudioResultSchema.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ status: 'success', cost: '0.005', transcript_speaker_cost: '0.000' });
    expect(answer.transcript_speaker_id).toBe(answer.download_id);
    const shown = await download(answer.download_id);
    expect(downloadResultSchema.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({ data: { status: 'success', audio_url: null, file_urls: [] } });
    expect((await request(url)).body).toEqual(answer);
  });

  it('uses fresh links when those of the content have expired', async () => {
    const url = postUrl(index, 'video');
    await service.misbehave({ target: 'dataset', mode: 'media_ttl', dataset: 'posts', seconds: 1, times: 1 });
    const content = await post<{ video_url: string }>('content', url, { prefer: 'wait=60' });
    await until(async () => (await fetch(content.body.video_url)).status === 403, { what: 'the links to expire' });
    const { data } = await ended(url);
    expect(data).toMatchObject({ status: 'success', cost: '0.005', file_urls: [expect.any(String)] });
    expect(await started(`posts ${shortcodeOf(url)}`)).toBe(2);
  });

  it('fails without a charge when the links expire repeatedly', async () => {
    const url = postUrl(index, 'coauthored');
    await service.misbehave({ target: 'dataset', mode: 'media_ttl', dataset: 'posts', seconds: 0 });
    const answer = await post<Audio>('audio', url, { prefer: 'wait=60' });
    await service.misbehave({ target: 'dataset', mode: 'off', dataset: 'posts' });
    expect(answer).toMatchObject({ status: 500, body: { data: { status: 'failed', cost: '0.000', audio_url: null } } });
    expect(answer.body.data.response).toMatch(/expired/);
    expect(await started(`posts ${shortcodeOf(url)}`)).toBe(2);
  });

  it('of a deleted post fails, and its webhook reports the failure', async () => {
    const receiver = await startWebhookReceiver();
    const body = { url: postUrl(index, 'deleted'), include_webhook: receiver.url };
    const accepted = await service.request<Audio>('POST', '/api/imgnet/audio', { body });
    await until(() => receiver.posts.length === 1, { what: 'the webhook' });
    const [{ headers, body: text } = { headers: {}, body: '' }] = receiver.posts;
    expect(headers).toMatchObject({
      'x-webhook-endpoint': 'imgnet/audio',
      'x-webhook-original-status': '400',
      'x-webhook-download-id': accepted.body.data.id,
    });
    const sent = JSON.parse(text) as unknown;
    expect(sent).toMatchObject({ data: { status: 'failed', cost: '0.000', audio_url: null, file_urls: null } });
    expect(sent).toEqual(await download(accepted.body.data.id));
    await receiver.close();
  });

  it('is available through tRPC', async () => {
    const rpc = createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken });
    const answer = await rpc.imgnet.audio.mutate({ url: postUrl(index, 'reel', 1), wait_seconds: 60 });
    expect(answer).toMatchObject({ data: { status: 'success', type: 'imgnet_audio' } });
  });

  it.each(['https://www.instagram.com/evening.talks/', 'https://example.com/reel/abc/'])(
    'of %j returns an error that names the field',
    async (url) => {
      expect(await request(url)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', details: [{ path: 'url' }] },
      });
    },
  );
});
