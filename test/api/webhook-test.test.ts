import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookTestRefusedSchema } from '../../contract/http/delivery-schemas.ts';
import {
  WEBHOOK_TEST_LIMITS,
  WEBHOOK_TEST_TAKES_MS,
  type PostOutcome,
} from '../../outbound/webhooks/webhook-client.ts';
import { startFacades, WEBHOOK_SECRET, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const test = (outcome: PostOutcome) => {
  facades.webhooks.post.mockResolvedValueOnce(outcome);
  return facades.post('/api/webhook/test', JSON.stringify({ url: 'https://hooks.example.com/x' }));
};

describe('the webhook test', () => {
  it('reports a success with the status of the URL', async () => {
    const answer = await test({ kind: 'answered', statusCode: 204, durationMs: 1 });
    expect(answer).toMatchObject({ status: 200, body: { status: 'success', http_status: 204 } });
  });

  it.each([302, 404, 500])('reports an error with the status %i', async (statusCode) => {
    const answer = await test({ kind: 'answered', statusCode, durationMs: 1 });
    expect(answer.body).toMatchObject({ status: 'error', http_status: statusCode });
    expect(answer.body['message']).toContain('POST');
  });

  it('gives the same answer after the same time for forbidden and unknown names and for refused, broken and silent connections', async () => {
    const outcomes: (PostOutcome & { readonly afterMs: number })[] = [
      { kind: 'forbidden', reason: 'The name leads to a private address.', durationMs: 1, afterMs: 0 },
      { kind: 'unreachable', error: 'refused', durationMs: 1, afterMs: 2 },
      { kind: 'unreachable', error: 'dns', durationMs: 1, afterMs: 120 },
      { kind: 'unreachable', error: 'tls', durationMs: 1, afterMs: 60 },
      { kind: 'unreachable', error: 'timeout', durationMs: 1, afterMs: 250 },
    ];
    const answers = [];
    for (const { afterMs, ...outcome } of outcomes) {
      facades.webhooks.post.mockImplementationOnce(() => delay(afterMs, outcome));
      const startedMs = performance.now();
      const { status, body } = await facades.post('/api/webhook/test', JSON.stringify({ url: 'https://a.example/' }));
      answers.push({ text: JSON.stringify({ status, body }), tookMs: performance.now() - startedMs });
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(JSON.parse(answers[0]!.text)).toMatchObject({ status: 200, body: { status: 'error', http_status: 0 } });
    // The wait is 300 ms; a busy machine answers later, never earlier.
    for (const { tookMs } of answers) expect(tookMs).toBeGreaterThan(299);
  });

  it('answers at once when a status has arrived', async () => {
    const tookMs: number[] = [];
    // A busy machine is sometimes slow.
    for (let times = 0; times < 5; times += 1) {
      const startedMs = performance.now();
      await test({ kind: 'answered', statusCode: 500, durationMs: 1 });
      tookMs.push(performance.now() - startedMs);
    }
    expect(Math.min(...tookMs)).toBeLessThan(290);
  });

  it('takes longer than the longest attempt of its client', () => {
    expect(WEBHOOK_TEST_TAKES_MS).toBeGreaterThan(WEBHOOK_TEST_LIMITS.timeoutMs);
  });

  it('is signed with a new ID each time', async () => {
    const ids = new Set<unknown>();
    for (let times = 0; times < 2; times += 1) {
      await test({ kind: 'answered', statusCode: 200, durationMs: 1 });
      const { headers = {}, body } = facades.webhooks.post.mock.lastCall?.[1] ?? {};
      expect(new Webhook(WEBHOOK_SECRET).verify(body as string, headers)).toMatchObject({ test: true });
      ids.add(headers['webhook-id']);
    }
    expect(ids.size).toBe(2);
  });

  it('sends the headers of a delivery', async () => {
    await test({ kind: 'answered', statusCode: 200, durationMs: 1 });
    const [url, request] = facades.webhooks.post.mock.lastCall ?? [];
    expect(url).toBe('https://hooks.example.com/x');
    expect(Object.keys(request?.headers ?? {})).toEqual([
      'Content-Type',
      'User-Agent',
      'X-Webhook-Endpoint',
      'X-Webhook-Original-Status',
      'X-Webhook-Download-Id',
      'webhook-id',
      'webhook-timestamp',
      'webhook-audience',
      'webhook-signature',
    ]);
  });

  it.each([
    'http://localhost/',
    'http://127.0.0.1/',
    'http://192.168.1.1/',
    'http://[::1]/',
    'ftp://example.com/',
    'x',
  ])('refuses %s without sending anything, with the fields of a failed test', async (url) => {
    facades.webhooks.post.mockClear();
    const answer = await facades.post('/api/webhook/test', JSON.stringify({ url }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'webhook_target_forbidden', details: [{ path: 'url' }] },
    });
    const { error, status, message, http_status } = webhookTestRefusedSchema.strict().parse(answer.body);
    expect({ status, message, http_status }).toEqual({ status: 'error', message: error, http_status: 0 });
    await expect(facades.rpc.webhook.test.mutate({ url })).rejects.toMatchObject({ data: { body: answer.body } });
    expect(facades.webhooks.post).not.toHaveBeenCalled();
  });
});
