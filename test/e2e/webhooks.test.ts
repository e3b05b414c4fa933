import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import type { DeliveryList, DeliveryResult, WebhookTestResult } from '../../contract/http/delivery-schemas.ts';
import { startWebhookReceiver, type ReceivedPost, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { readEvents } from '../helpers/event-reader.ts';
import { SHARED_WEBHOOK_SECRETS as secrets, TestService, untilAnswered, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  service = await TestService.shared();
  receiver = await startWebhookReceiver();
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

const verified = (post: ReceivedPost): unknown[] =>
  secrets.map((secret) => new Webhook(secret).verify(post.body, post.headers as Record<string, string>));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What `npm run keys -- webhook-secret` prints, which needs no database. */
async function ownSecrets(url: string): Promise<readonly string[]> {
  const args = ['local/bootstrap.mjs', 'operator/keys/main.ts', 'webhook-secret', url];
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRETS: secrets.join(',') };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  return stdout.trim().split('\n');
}
const logOf = async (id: string) =>
  (await service.request<DeliveryList>('GET', `/api/webhook/deliveries?download_id=${id}`)).body.deliveries;

it('a webhook is signed, logged, and delivered again under its id', async () => {
  const ended = await service.finishedAudio(service.videoId('ordinary', 0), receiver.url);
  const first = await until(() => receiver.posts[0], { what: 'the webhook' });
  for (const body of verified(first)) expect(body).toMatchObject({ data: { id: ended.id, status: 'success' } });
  expect(first.headers['webhook-audience']).toBe(new URL(receiver.url).origin);
  const [own, foreign] = await Promise.all([ownSecrets(receiver.url), ownSecrets('https://receiver.example')]);
  expect(own).toHaveLength(secrets.length);
  const verifyBy = (secret: string) => new Webhook(secret).verify(first.body, first.headers);
  for (const secret of own) expect(verifyBy(secret)).toMatchObject({ data: { id: ended.id } });
  for (const secret of foreign) expect(() => verifyBy(secret)).toThrow(WebhookVerificationError);

  const [logged] = await until(async () => {
    const log = await logOf(ended.id);
    return log[0]?.state === 'delivered' && log;
  });
  expect(logged).toMatchObject({
    id: first.headers['webhook-id'],
    download_id: ended.id,
    endpoint: 'downloads/audio',
    attempts: [{ number: 1, http_status: 200 }],
  });

  const path = `/api/webhook/deliveries/${logged!.id}/redeliver`;
  const again = await service.request<DeliveryResult>('POST', path);
  expect(again.status).toBe(202);
  const second = await until(() => receiver.posts[1], { what: 'the webhook once more' });
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  for (const body of verified(second)) expect(body).toMatchObject({ data: { id: ended.id } });
  const delivered = await until(async () => {
    const log = await logOf(ended.id);
    return log[0]?.attempts.length === 2 && log[0];
  });
  expect(delivered).toMatchObject({ state: 'delivered', attempts: [{ number: 1 }, { number: 2 }] });
  expect(receiver.posts).toHaveLength(2);
});

it('while attempts go on, a webhook is not delivered again', async () => {
  const refusing = await startWebhookReceiver(() => 500);
  const ended = await service.finishedAudio(service.videoId('ordinary', 1), refusing.url);
  const delivery = await until(async () => {
    const log = await logOf(ended.id);
    return log[0]?.attempts.length === 1 && log[0];
  });
  expect(delivery).toMatchObject({ state: 'pending', next_attempt_at: expect.any(String) as string });
  const answer = await service.request('POST', `/api/webhook/deliveries/${delivery.id}/redeliver`);
  expect(answer).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
  await refusing.close();
});

it('the webhook test tells nothing of closed ports and forbidden addresses by its time', async () => {
  const closed = await startWebhookReceiver();
  await closed.close();
  const took = async (url: string): Promise<{ tookMs: number; body: WebhookTestResult }> => {
    const startedMs = performance.now();
    const { body } = await service.request<WebhookTestResult>('POST', '/api/webhook/test', { body: { url } });
    return { tookMs: performance.now() - startedMs, body };
  };
  const [answered, ...silent] = await Promise.all([
    took(receiver.url),
    took(closed.url),
    // Not resolved by any name server.
    took('https://no-such-name.invalid/'),
  ]);
  expect(answered).toMatchObject({ body: { status: 'success', http_status: 200 } });
  for (const { tookMs, body } of silent) {
    expect(body).toEqual(silent[0].body);
    expect(tookMs).toBeGreaterThan(5_240);
  }
});

/** A link differs from one second to the next by its expiry alone. */
const withoutExpiry = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/\?Expires=\d+&Signature=[\w-]+/g, ''));

/** @returns the last of what a subscription over tRPC tells */
function lastOverRpc(id: string): Promise<unknown> {
  const { rpcUrl, rpcToken } = service.stack;
  return new Promise((resolve, reject) => {
    let last: unknown;
    createRpcClient(rpcUrl, { token: rpcToken }).downloads.events.subscribe(
      { download_id: id },
      { onData: ({ data }) => void (last = data), onError: reject, onComplete: () => resolve(last) },
    );
  });
}

it.each([
  {
    kind: 'audio',
    path: '/api/downloads/audio',
    body: () => Promise.resolve({ vidnet_video_id: service.videoId('ordinary', 2) }),
    // The same POST would be refused while the job runs.
    again: (id: string) => ['GET', `/downloads/${id}`] as const,
    idOf: (answer: Record<string, unknown>) => (answer['data'] as { id: string }).id,
  },
  {
    kind: 'channel',
    path: '/api/channel/profile',
    body: async () => {
      // An attempt fails, so that the job lasts until all look at it: a POST after its end would begin another record.
      await service.misbehave({ video: '*', target: 'api', mode: '500', times: 1 });
      const index = (await (await fetch(service.sandbox.url)).json()) as { channels: { url: string; case: string }[] };
      return { url: index.channels.find((one) => one.case === 'ordinary')?.url };
    },
    again: () => ['POST', '/api/channel/profile'] as const,
    idOf: (answer: Record<string, unknown>) => String(answer['download_id']),
  },
])(
  'the end of a job is the same for who polls, waits, follows it over REST or tRPC, and gets the webhook: $kind',
  async ({ path, again, idOf, ...given }) => {
    const told = await startWebhookReceiver();
    const body = await given.body();
    const asked = { ...body, include_webhook: told.url };
    const accepted = await service.request<Record<string, unknown>>('POST', path, {
      body: asked,
      headers: { prefer: 'wait=0' },
    });
    expect(accepted.status).toBe(202);
    const id = idOf(accepted.body);
    const [method, where] = again(id);
    const ask = (waitSeconds: number) => (): Promise<Answered<unknown>> =>
      service.request(method, where, {
        ...(method === 'POST' ? { body } : {}),
        headers: { prefer: `wait=${String(waitSeconds)}` },
      });
    const events = await readEvents(`${service.stack.restUrl}/api/downloads/${id}/events`);
    const [polled, waited, overRpc, post] = await Promise.all([
      untilAnswered(ask(0), 'the end, by polls'),
      untilAnswered(ask(60), 'the end, by waiting'),
      lastOverRpc(id),
      until(() => told.posts[0], { within: 60_000, what: 'the webhook' }),
      events.over,
    ]);
    await told.close();
    expect(events.end).toBe('whole');
    const ends = [polled, waited, events.received.at(-1)?.data, overRpc, JSON.parse(post.body) as unknown].map(
      withoutExpiry,
    );
    for (const end of ends) expect(end).toEqual(ends[0]);
    expect(JSON.stringify(ends[0])).toContain('"status":"success"');
    expect(events.received.map(({ id: eventId }) => eventId).at(-1)).toBe(`${id}-success`);
  },
  120_000,
);
