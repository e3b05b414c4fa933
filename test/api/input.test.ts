import { gzipSync } from 'node:zlib';
import { TRPCClientError } from '@trpc/client';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ERROR_TABLE, errorBodySchema } from '../../contract/http/api-error.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void vi.clearAllMocks());

const AUDIO = '/api/downloads/audio';
const video = (id: unknown, more: object = {}): string => JSON.stringify({ vidnet_video_id: id, ...more });

describe('a request for audio', () => {
  it.each([
    ['no JSON', '{"vidnet_video_id":', 400, 'invalid_json', undefined],
    ['nothing', '', 400, 'invalid_json', undefined],
    ['an array', '[]', 400, 'invalid_json', undefined],
    ['null', 'null', 400, 'invalid_json', undefined],
    ['no id', '{}', 400, 'invalid_input', 'vidnet_video_id'],
    ['a number as id', video(12_345_678_901), 400, 'invalid_input', 'vidnet_video_id'],
    ['an option as id', video('--exec'), 400, 'invalid_input', 'vidnet_video_id'],
    ['a path as id', video('../x'), 400, 'invalid_input', 'vidnet_video_id'],
    ['an object as id', video({ $ne: '' }), 400, 'invalid_input', 'vidnet_video_id'],
    ['a number as webhook', video('k3fP0aTz9Qw', { include_webhook: 1 }), 400, 'invalid_input', 'include_webhook'],
    [
      'a private webhook',
      video('k3fP0aTz9Qw', { include_webhook: 'http://10.0.0.1/' }),
      400,
      'webhook_target_forbidden',
      'include_webhook',
    ],
    [
      'a file as webhook',
      video('k3fP0aTz9Qw', { include_webhook: 'file:///etc/passwd' }),
      400,
      'webhook_target_forbidden',
      'include_webhook',
    ],
    ['a body of 1 MB', video('k3fP0aTz9Qw', { filler: 'x'.repeat(1_000_000) }), 413, 'body_too_large', undefined],
  ])('with %s is refused and starts nothing', async (...[, body, status, code, path]) => {
    const answer = await facades.post(AUDIO, body);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    const { details } = errorBodySchema.parse(answer.body);
    if (path !== undefined) expect(details?.map((detail) => detail.path)).toContain(path);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each(['gzip', 'br', 'identity, gzip', 'x-unknown'])(
    'with Content-Encoding %s is answered 415 with what is supported, by REST and by tRPC',
    async (encoding) => {
      const urls = [facades.url + AUDIO, `${facades.rpcUrl}/downloads.audio`];
      for (const url of urls) {
        const answer = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'content-encoding': encoding,
            authorization: `Bearer ${facades.rpcToken}`,
          },
          body: gzipSync(video('k3fP0aTz9Qw')),
        });
        expect([answer.status, answer.headers.get('accept-encoding')], url).toEqual([415, 'identity']);
        expect(await answer.text()).toContain('"encoding_not_supported"');
      }
      expect(facades.jobs.start).not.toHaveBeenCalled();
    },
  );

  it.each(['identity', 'Identity', ''])('with Content-Encoding %j is accepted', async (encoding) => {
    const headers = { 'content-encoding': encoding };
    const answer = await fetch(facades.url + AUDIO, { method: 'POST', headers, body: video('k3fP0aTz9Qw') });
    expect(answer.status).toBe(202);
  });

  it('accepts any content type and ignores unknown fields', async () => {
    const answer = await fetch(facades.url + AUDIO, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: video('k3fP0aTz9Qw', { unknown: true }),
    });
    expect(answer.status).toBe(202);
  });

  it('is answered 503 with Retry-After while Temporal cannot be reached', async () => {
    const { ApiError } = await import('../../contract/http/api-error.ts');
    facades.jobs.start.mockRejectedValueOnce(new ApiError('unavailable', 'away', { retryAfterSeconds: 5 }));
    const answer = await facades.post(AUDIO, video('k3fP0aTz9Qx'));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('reveals nothing about an unexpected error', async () => {
    facades.jobs.start.mockRejectedValueOnce(new Error('secret: /etc/passwd'));
    const answer = await facades.post(AUDIO, video('k3fP0aTz9Qy'));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

describe('a path', () => {
  it.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/api/downloads/audio', 405, 'method_not_allowed'],
    ['PUT', `/downloads/${ulid()}`, 405, 'method_not_allowed'],
    ['GET', `/downloads/${ulid()}`, 404, 'not_found'],
    ['GET', '/downloads/not-an-id', 404, 'not_found'],
    ['GET', '/downloads/%2e%2e%2fx', 404, 'not_found'],
    ['GET', '/downloads/%ff', 400, 'invalid_input'],
    ['GET', '/docs/../package.json', 404, 'not_found'],
    ['GET', '/docs/%2e%2e/package.json', 404, 'not_found'],
  ])('%s %s is answered %i', async (method, path, status, code) => {
    const response = await fetch(facades.url + path, { method });
    expect([response.status, errorBodySchema.parse(await response.json()).code]).toEqual([status, code]);
    if (status === 405) expect(response.headers.get('allow')).toBeTruthy();
  });
});

describe('tRPC', () => {
  const failure = async (call: Promise<unknown>): Promise<{ code: string; httpStatus: number; body: unknown }> => {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TRPCClientError);
    return (error as { data: { code: string; httpStatus: number; body: unknown } }).data;
  };

  it('gives the same bodies as REST, with its own codes', async () => {
    const id = ulid();
    const rest = await fetch(`${facades.url}/downloads/${id}`);
    const rpc = await failure(facades.rpc.downloads.get.query({ download_id: id }));
    expect(rpc).toMatchObject({ code: 'NOT_FOUND', httpStatus: 404, body: await rest.json() });
    expect(rpc).not.toHaveProperty('stack');

    const input = { vidnet_video_id: '--exec' };
    const refused = await facades.post(AUDIO, JSON.stringify(input));
    expect(await failure(facades.rpc.downloads.audio.mutate(input))).toMatchObject({
      code: 'BAD_REQUEST',
      body: refused.body,
    });
  });

  it.each([
    ['POST', 'downloads.audio', '{', 400, 'invalid_json'],
    ['POST', 'downloads.audio', JSON.stringify({ vidnet_video_id: 'x'.repeat(1_000_000) }), 413, 'body_too_large'],
    ['GET', 'downloads.audio', undefined, 405, 'method_not_allowed'],
    ['GET', 'no.such.procedure', undefined, 404, 'not_found'],
  ])('answers its own refusals like REST: %s %s', async (...[method, path, body, status, code]) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${facades.rpcToken}` };
    const response = await fetch(`${facades.rpcUrl}/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const answer = (await response.json()) as { error: { data: { body: unknown } } };
    expect([response.status, errorBodySchema.parse(answer.error.data.body).code]).toEqual([status, code]);
  });

  it('names the pending job', async () => {
    const first = await facades.rpc.downloads.audio.mutate({ vidnet_video_id: 'AAAAAAAAAAA' });
    const { id, created_at: createdAt } = first.data;
    const running = {
      recordId: id,
      type: 'audio',
      subjectId: 'audio/AAAAAAAAAAA',
      mediaId: 'AAAAAAAAAAA',
      createdAt,
      price: 5,
      version: 1,
      startedBy: 'anonymous',
    } as const;
    facades.jobs.start.mockResolvedValue({ running, runId: 'a-run' });
    const data = await failure(facades.rpc.downloads.audio.mutate({ vidnet_video_id: 'AAAAAAAAAAA' }));
    const error = 'A pending download already exists for this video.';
    expect(data).toMatchObject({ code: 'CONFLICT', httpStatus: 409, body: { id, code: 'pending_duplicate', error } });
    const hook = { include_webhook: 'https://hooks.example.com/x' };
    const withWebhook = await facades.post(AUDIO, video('AAAAAAAAAAA', hook));
    expect([withWebhook.status, withWebhook.body['error']]).toEqual([409, `${error} The webhook was not added.`]);
    facades.jobs.start.mockResolvedValue('started');
  });

  it('reveals nothing about an unexpected error', async () => {
    facades.jobs.start.mockRejectedValueOnce(new Error('secret'));
    const data = await failure(facades.rpc.downloads.audio.mutate({ vidnet_video_id: 'BBBBBBBBBBB' }));
    expect(data).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', body: { code: 'internal' } });
    expect(JSON.stringify(data)).not.toContain('secret');
  });
});

describe('the table of errors', () => {
  it('gives each code a 4xx or 5xx status', () => {
    for (const { http } of Object.values(ERROR_TABLE)) expect(http).toBeGreaterThanOrEqual(400);
  });
});
