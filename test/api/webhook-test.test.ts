import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostOutcome } from '../../webhooks/client.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

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
  it('tells a success with the code that the URL returned', async () => {
    const answer = await test({ kind: 'answered', statusCode: 204, durationMs: 1 });
    expect(answer).toMatchObject({ status: 200, body: { status: 'success', http_status: 204 } });
  });

  it.each([302, 404, 500])('tells a refusal with %i', async (statusCode) => {
    const answer = await test({ kind: 'answered', statusCode, durationMs: 1 });
    expect(answer.body).toMatchObject({ status: 'error', http_status: statusCode });
    expect(answer.body['message']).toContain('POST');
  });

  it('gives one answer for forbidden names, refused connections and time-outs', async () => {
    const answers = [
      await test({ kind: 'forbidden', reason: 'The name leads to a private address.', durationMs: 1 }),
      await test({ kind: 'unreachable', error: 'refused', durationMs: 1 }),
      await test({ kind: 'unreachable', error: 'timeout', durationMs: 1 }),
    ];
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200, body: { status: 'error', http_status: 0 } });
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
    ]);
  });

  it.each([
    'http://localhost/',
    'http://127.0.0.1/',
    'http://192.168.1.1/',
    'http://[::1]/',
    'ftp://example.com/',
    'x',
  ])('refuses %s without sending anything', async (url) => {
    facades.webhooks.post.mockClear();
    const answer = await facades.post('/api/webhook/test', JSON.stringify({ url }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'webhook_target_forbidden', details: [{ path: 'url' }] },
    });
    expect(facades.webhooks.post).not.toHaveBeenCalled();
  });
});
