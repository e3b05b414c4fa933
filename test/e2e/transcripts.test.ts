import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import type { DeliveryList } from '../../contract/http/delivery-schemas.ts';
import {
  vidnetFailedResultSchema,
  vidnetPendingResultSchema,
  type FailedResult,
  type PendingResult,
} from '../../contract/http/job-answers.ts';
import { transcriptSchema, type Transcript } from '../../contract/kinds/transcript.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { from, TestService, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.shared();
}, 120_000);
afterAll(() => service.stop());

const request = <Body = Transcript>(
  videoId: string,
  language: string,
  more: object = {},
  headers = {},
): Promise<Answered<Body>> =>
  service.request('POST', '/api/transcripts', { body: { vidnet_video_id: videoId, language, ...more }, headers });

describe('a transcript', () => {
  it('has the same body in REST, tRPC and the webhook, with every field', async () => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId('ordinary');
    const { status, body } = await request(id, 'en', { include_comments: true, include_webhook: receiver.url });
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    expect(status).toBe(200);
    expect(JSON.parse(post.body)).toEqual(body);
    const rpc = createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken });
    expect(await rpc.transcripts.get.query({ download_id: body.download.id })).toEqual(body);
    expect(post.headers).toMatchObject({
      'x-webhook-endpoint': 'transcripts',
      'x-webhook-original-status': '200',
      'x-webhook-download-id': body.download.id,
    });
    // `source` is only in answers to requests with a mode.
    const { video, track } = transcriptSchema.omit({ source: true }).required().strict().parse(body);
    transcriptSchema.shape.video.required().strict().parse(video);
    expect([track.language, track.kind, body.download.cost]).toEqual(['en', 'manual', '0.005']);
    const [comment] = video.comments!.filter(({ reply_to: parent }) => parent !== null);
    expect(video.comments!.map(({ id: known }) => known)).toContain(comment!.reply_to);
  });

  it('is fetched once for ten callers at once, and delivered to each who has to wait', async () => {
    const receivers = await Promise.all(Array.from({ length: 10 }, () => startWebhookReceiver()));
    const id = service.videoId('ordinary', 1);
    await service.misbehave({ video: id, target: 'captions', mode: 'slow', bytes_per_second: 100 });
    const answers = await Promise.all(
      receivers.map(({ url }, n) => request(id, 'en', { include_webhook: url }, { ...from(n), Prefer: 'wait=0' })),
    );
    await service.misbehave({ video: id, mode: 'off' });
    // Who comes when it has ended, as after an engine that was too busy, has the result already.
    const due = answers.map(({ status }) => (status === 202 ? 1 : 0));
    expect(due.filter((posts) => posts > 0).length).toBeGreaterThan(1);
    const posted = () => receivers.map(({ posts }) => posts.length);
    await until(() => posted().every((posts, n) => posts >= due[n]!), { what: `deliveries for ${due.join(' ')}` });
    const list = await createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken }).downloads.list.query({
      media_id: id,
      type: 'captions',
    });
    expect(list.downloads.map(({ cost }) => cost)).toEqual(['0.003']);
    const again = await request(id, 'en');
    for (const { status, body } of answers) {
      const told = status === 200 ? body.download.id : (body as unknown as PendingResult).download_id;
      expect(told).toBe(again.body.download.id);
    }
    expect((await service.served(id)).page_reads).toBe(1);
    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(posted()).toEqual(due);
  });

  it('of automatic captions has each word once', async () => {
    const { body } = await request(service.videoId('automatic_captions'), 'en');
    expect([body.track.kind, body.video.transcripts]).toEqual([
      'automatic',
      'is it too late to plant beans not at all put them in warm soil two fingers deep and water them every evening only when the ground is dry beans do not like wet feet',
    ]);
  });

  it.each([
    ['en', 'en-GB'],
    ['EN', 'en-GB'],
    ['pt-BR', 'pt-BR'],
    ['pt', 'pt-BR'],
    ['en-US', 'en-GB'],
    ['pt-PT', 'pt-BR'],
  ])('in %s is the one in %s', async (language, used) => {
    const { body } = await request(service.videoId('regional_captions'), language);
    expect(body.track).toMatchObject({ language: used, kind: 'manual' });
  });

  it.each(['xx', 'es'])('in %s does not exist, and the answer lists those that do', async (language) => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId('regional_captions');
    const { status, body } = await request<FailedResult>(id, language, { include_webhook: receiver.url });
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    expect(vidnetFailedResultSchema.strict().parse(body)).toMatchObject({ code: 'no_captions', cost: '0.000' });
    expect(body.message).toContain('en-GB, pt-BR');
    expect(JSON.parse(post.body)).toEqual(body);
    expect(post.headers['x-webhook-original-status']).toBe('400');
    expect(status).toBe(400);
    const looked = await service.request<FailedResult>('GET', `/api/transcripts/${body.download_id}`);
    expect(looked).toMatchObject({ status: 200, body });
  });

  it('of a private video says so', async () => {
    const { status, body } = await request<FailedResult>(service.videoId('private'), 'en');
    expect([status, body]).toMatchObject([400, { status: 'failed', code: 'private' }]);
  });

  it('that is pending can be looked at and cancelled, and starts nothing', async () => {
    const id = service.videoId('ordinary', 2);
    await service.misbehave({ video: id, target: 'page', mode: 'hang' });
    const accepted = await service.request('POST', '/api/transcripts', {
      body: { vidnet_video_id: id, language: 'en' },
      headers: { Prefer: 'wait=1' },
    });
    const { download_id: downloadId } = vidnetPendingResultSchema.parse(accepted.body);
    expect((await service.request('GET', `/api/transcripts/${downloadId}`)).status).toBe(202);
    const cancelled = await fetch(`${service.stack.restUrl}/downloads/${downloadId}`, { method: 'DELETE' });
    expect([cancelled.status, await cancelled.json()]).toMatchObject([200, { data: { status: 'failed' } }]);
    await service.misbehave({ video: id, mode: 'off' });
    const after = await service.request<FailedResult>('GET', `/api/transcripts/${downloadId}`);
    expect([after.status, after.body.code]).toEqual([200, 'cancelled']);
    await until(async () => (await service.filesOnDisk()).work.length === 0, { what: 'an empty work folder' });
  });

  it('is told to three webhooks of one host, of 40 that join it, once each', async () => {
    const receiver = await startWebhookReceiver();
    const id = service.videoId('opus_only');
    await service.misbehave({ video: id, target: 'page', mode: 'hang' });
    const ask = (n: number) =>
      service.request<PendingResult>('POST', '/api/transcripts', {
        body: { vidnet_video_id: id, language: 'en', include_webhook: `${receiver.url}?n=${String(n)}` },
        headers: { Prefer: 'wait=0' },
      });
    // An engine that is too busy is answered with 503 and a time to come again, which callers do.
    const join = (n: number) =>
      until(async () => {
        const answer = await ask(n);
        return answer.status === 503 ? undefined : answer;
      });
    const first = await join(0);
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => join(1 + (n % 40))));
    // The job was started with it, so it has its place however many others were quicker.
    answers.push(await join(0));
    const joined = answers.filter(({ status }) => status === 202);
    for (const { status, body } of answers)
      if (status !== 202) expect([status, body]).toMatchObject([409, { code: 'too_many_webhooks' }]);
    // Nobody knows which two others were quickest; each asks twice, and what has a place is not refused the second time.
    expect(joined).toHaveLength(5);
    await fetch(`${service.stack.restUrl}/downloads/${first.body.download_id}`, { method: 'DELETE' });
    await until(() => receiver.posts.length >= 3);
    const log = await service.request<DeliveryList>(
      'GET',
      `/api/webhook/deliveries?download_id=${first.body.download_id}`,
    );
    expect(log.body.deliveries).toHaveLength(3);
    expect(new Set(receiver.posts.map(({ path }) => path)).size).toBe(3);
    expect(receiver.posts).toHaveLength(3);
    await service.misbehave({ video: id, mode: 'off' });
    await receiver.close();
  });
});
