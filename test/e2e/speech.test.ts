import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { speakerLabelsSchema, type SpeakerLabelsResult } from '../../contract/kinds/speaker-labels.ts';
import type { DownloadResult } from '../../contract/kinds/kinds.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { makeKey } from '../fuzz/key.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { CALLERS_BY_ADDRESS, from, TestService, type Answered } from '../helpers/service.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';
import { until } from '../helpers/until.ts';

const TEA = new URL('../../local/sandbox/catalogue/media/tea/140.m4a', import.meta.url);
const CALLERS = 50;
let words: TranscriptionServer;
let service: TestService;
let receiver: WebhookReceiver;
let site: RecordedSite;
beforeAll(async () => {
  words = await startTranscriptionServer({
    product: 'whisper-1',
    instead: always('One says this. Another says that.'),
  });
  const speech = { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url };
  service = await TestService.start({ env: { ...CALLERS_BY_ADDRESS, ...speech } });
  receiver = await startWebhookReceiver();
  site = await RecordedSite.start();
  site.set('/tea.m4a', { type: 'audio/mp4', body: await readFile(TEA) });
}, 240_000);
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await site.stop();
  await words.stop();
});

type Labels = Answered<SpeakerLabelsResult & { readonly download_id?: string }>;
const speech = (body: object, headers = {}): Promise<Labels> =>
  service.request('POST', '/api/speech', { body, headers });
const result = (id: string): Promise<Labels> => service.request('GET', `/api/speech/${id}`);
const postsTo = (part: string) => receiver.posts.filter(({ path }) => path.includes(part));
const statusOf = async (id: string) => (await service.request<DownloadResult>('GET', `/downloads/${id}`)).body.data;
const ended = (id: string) =>
  until(
    async () => {
      const answer = await result(id).catch(() => undefined);
      return answer?.status === 200 ? answer.body : undefined;
    },
    { within: 120_000, what: `the end of ${id}` },
  );

describe('POST /api/speech', () => {
  it('turns a page into a transcript for one webhook and one charge, while processes are killed', async () => {
    const authorization = `Bearer ${await makeKey(service.stack, 100)}`;
    const url = `${site.url}/tea.m4a`;
    const hook = `${receiver.url}/page`;
    const { status, body } = await speech({ url, include_webhook: hook }, { authorization });
    expect([status, body]).toMatchObject([202, { status: 'pending', cost: '0.011' }]);
    service.stack.kill('worker', 'SIGKILL');
    service.stack.kill('api', 'SIGKILL');
    const labels = await ended(body.download_id!);
    const parsed = speakerLabelsSchema.parse(labels);
    expect(parsed.data.transcriptsWithTimeStamps.length).toBeGreaterThan(0);
    const [post] = await until(() => (postsTo('/page').length > 0 ? postsTo('/page') : undefined), { within: 60_000 });
    expect(JSON.parse(post!.body)).toEqual(labels);
    expect(post!.headers).toMatchObject({ 'x-webhook-original-status': '200' });

    const { body: account } = await service.request<AccountResult>('GET', '/api/account', {
      headers: { authorization },
    });
    expect(account.entries.map(({ amount, type }) => [type, amount]).sort()).toEqual([
      ['media', '0.005'],
      ['speaker_labels', parsed.transcript_speaker_cost],
    ]);
    expect(Number(account.spent)).toBeCloseTo(Number(parsed.cost), 3);
    expect(account.reserved).toBe('0.000');
    const again = await speech({ url: `${url}?utm_source=a`, include_webhook: hook }, { authorization });
    expect([again.status, again.body.download_id]).toEqual([200, body.download_id]);
    expect(postsTo('/page')).toHaveLength(1);
  }, 240_000);

  it('makes one fetch and one transcription for fifty callers, of whom some send the requests one by one', async () => {
    const video = service.videoId('ordinary', 0);
    const url = `${service.sandbox.url}/watch?v=${video}`;
    const uploadsBefore = words.uploads.length;
    // The requests must arrive before the transcript is there.
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 40_000 });
    const accepted = await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) => {
        const hook = { include_webhook: `${receiver.url}/fifty/${String(n)}` };
        if (n % 2 === 0) return speech({ url, ...hook }, from(n));
        const audio = await service.request<{ id?: string; data?: { id: string } }>('POST', '/api/downloads/audio', {
          body: { vidnet_video_id: video },
          headers: from(n),
        });
        const id = audio.body.data?.id ?? audio.body.id;
        const body = { transcript_with_speaker_id: id, ...hook };
        return service.request<Labels['body']>('POST', '/api/transcriptspeakerid', { body, headers: from(n) });
      }),
    );
    expect(accepted.map(({ status }) => status)).toEqual(accepted.map(() => 202));
    await service.misbehave({ video, mode: 'off' });
    const audioIds = new Set(accepted.map(({ body }) => body.transcript_speaker_id));
    const jobIds = new Set(accepted.map(({ body }) => body.download_id).filter((id) => id !== undefined));
    expect([audioIds.size, jobIds.size]).toEqual([1, 1]);
    const labels = await ended([...jobIds][0]!);
    expect(labels).toMatchObject({ status: 'success' });
    await until(() => postsTo('/fifty/').length >= CALLERS, { within: 60_000, what: 'the webhooks' });
    expect(new Set(postsTo('/fifty/').map(({ path }) => path)).size).toBe(CALLERS);
    expect(new Set(postsTo('/fifty/').map(({ body }) => body))).toEqual(new Set([JSON.stringify(labels)]));
    expect((await service.served(video)).complete_media_bodies).toBe(1);
    expect((await speech({ url })).status).toBe(200);
    for (const type of ['audio', 'speaker_labels']) {
      const path = `/api/downloads?type=${type}&media_id=${video}`;
      const { body } = await service.request<{ readonly downloads: unknown[] }>('GET', path);
      expect([type, body.downloads.length]).toEqual([type, 1]);
    }
    // The recording is one window.
    expect(words.uploads.length - uploadsBefore).toBe(1);
    expect(postsTo('/fifty/')).toHaveLength(CALLERS);
  }, 240_000);

  it('shows the stages of the audio, and ends the audio with it when it is cancelled, unless others wait', async () => {
    const [alone, shared] = [service.videoId('ordinary', 1), service.videoId('ordinary', 2)];
    await service.misbehave({ video: '*', target: 'media', mode: 'slow', bytes_per_second: 20_000 });
    const begun = await Promise.all([alone, shared].map((id) => speech({ vidnet_video_id: id })));
    const [first, second] = begun.map(({ body }) => ({ job: body.download_id!, audio: body.transcript_speaker_id }));
    await until(async () => {
      const { body } = await result(first!.job);
      return 'progress' in body && body.progress?.stage === 'fetching';
    });
    expect((await service.requestAudio(shared)).status).toBe(409);
    for (const { job } of [first!, second!]) await service.request('DELETE', `/downloads/${job}`);
    for (const { job } of [first!, second!])
      expect(await ended(job)).toMatchObject({ status: 'failed', code: 'cancelled' });
    await until(async () => (await statusOf(first!.audio)).status === 'failed', { within: 30_000, what: 'the audio' });
    await service.misbehave({ video: '*', mode: 'off' });
    expect((await service.ended(second!.audio)).status).toBe('success');
  }, 180_000);

  it('fails with the failure of the audio, which the webhook receives, without a charge', async () => {
    const authorization = `Bearer ${await makeKey(service.stack, 100)}`;
    const hook = `${receiver.url}/private`;
    const { body } = await speech(
      { vidnet_video_id: service.videoId('private'), include_webhook: hook },
      { authorization },
    );
    expect(await ended(body.download_id!)).toMatchObject({ status: 'failed', code: 'private', cost: '0.000' });
    const post = await until(() => postsTo('/private')[0], { within: 30_000, what: 'the webhook' });
    expect(post.headers).toMatchObject({ 'x-webhook-original-status': '400' });
    const { body: account } = await service.request<AccountResult>('GET', '/api/account', {
      headers: { authorization },
    });
    expect(account).toMatchObject({ spent: '0.000', reserved: '0.000' });
  }, 120_000);
});
