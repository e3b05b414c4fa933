import { request as httpRequest } from 'node:http';
import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades(100_000, { rpcToken: 't'.repeat(32) });
});
afterAll(() => facades.close());

const TOP_LEVEL = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** Node's own client: fetch does not let a program set these headers. */
function send(method: string, headers: Record<string, string>, path = '/api/downloads'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(facades.url + path, { method, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    outgoing.once('error', reject).end(method === 'POST' ? '{}' : undefined);
  });
}
const post = (headers: Record<string, string>) => send('POST', headers, '/api/downloads/audio');
const own = (): string => new URL(facades.url).host;

describe('a service on loopback', () => {
  it.each(['localhost', 'localhost:3000', '127.0.0.1:9', '127.9.9.9', '[::1]:3000', 'api.example'])(
    'answers to the name %s',
    async (host) => {
      expect(await send('GET', { host })).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '[::2]',
    'a b',
  ])('does not answer to the foreign name %s', async (host) => {
    expect(await send('GET', { host })).toBe(403);
    expect(await send('DELETE', { host }, '/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD')).toBe(403);
  });

  it.each([
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another site, in an old browser', { origin: 'https://evil.example' }],
    ['of another site, without its origin', { 'sec-fetch-site': 'cross-site' }],
    ['of another port here', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['in a sandbox', { origin: 'null' }],
  ])('refuses a POST of a page %s', async (_which, headers) => {
    expect(await post(headers)).toBe(403);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['of another port here', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['of another site, by a link', { 'sec-fetch-site': 'cross-site', ...TOP_LEVEL }],
    ['of another site, in an old browser', { origin: 'https://evil.example' }],
  ])('refuses a GET of a page %s', async (_which, headers) => {
    for (const path of ['/api/downloads', '/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD', '/api/account', '/nothing']) {
      expect(await send('GET', headers, path)).toBe(403);
    }
    expect(await send('HEAD', headers)).toBe(403);
    expect(await send('OPTIONS', headers)).toBe(403);
  });

  it('answers a GET of its own page and of the address bar', async () => {
    expect(await send('GET', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
    expect(await send('GET', { 'sec-fetch-site': 'none', ...TOP_LEVEL })).toBe(200);
  });

  it.each(['/docs', '/docs/', '/openapi.json'])(
    'shows %s by a link from elsewhere, and no page that builds on it',
    async (path) => {
      const elsewhere = { 'sec-fetch-site': 'cross-site' };
      expect(await send('GET', { ...elsewhere, ...TOP_LEVEL }, path)).toBe(200);
      expect(await send('GET', { ...elsewhere, ...TOP_LEVEL, 'sec-fetch-dest': 'iframe' }, path)).toBe(403);
      expect(await send('GET', { ...elsewhere, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }, path)).toBe(
        403,
      );
      expect(await send('GET', { host: 'evil.example' }, path)).toBe(403);
    },
  );

  it('allows other pages to show files, because links are signed', async () => {
    const { recordId, name } = { recordId: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', name: 'a.m4a' };
    const link = new URL(facades.deps.signer.linkTo(recordId, name));
    const elsewhere = { 'sec-fetch-site': 'cross-site', host: 'drive.example' };
    expect(await send('GET', elsewhere, link.pathname + link.search)).toBe(404);
    expect(await send('GET', elsewhere, link.pathname)).toBe(403);
  });

  it('accepts a POST of programs and of its own page', async () => {
    expect(await post({})).toBe(400);
    expect(await post({ origin: `http://${own()}`, 'sec-fetch-site': 'same-origin' })).toBe(400);
    expect(await post({ origin: 'http://api.example' })).toBe(400);
  });

  it('accepts a key from any origin, because pages know no key', async () => {
    const key = await facades.deps.keys.create({ name: 'page', scopes: ['read', 'jobs'] });
    const authorization = `Bearer ${key.text}`;
    expect(await post({ authorization, origin: 'https://app.example', host: 'proxy.example' })).toBe(400);
  });

  it('answers /live under any name, and /health only under its own', async () => {
    expect(await send('GET', { host: 'pod.internal' }, '/live')).toBe(200);
    for (const path of ['/health', '/ready']) {
      expect(await send('GET', { host: 'pod.internal' }, path)).toBe(403);
      expect(await send('GET', { 'sec-fetch-site': 'cross-site' }, path)).toBe(403);
      expect(await send('GET', {}, path)).toBe(200);
    }
  });
});

describe('tRPC, on loopback too,', () => {
  const codeOf = async (token: string): Promise<unknown> => {
    const client = createRpcClient(facades.rpcUrl, { token });
    return client.health.query().then(
      ({ status }) => status,
      (error: unknown) => error instanceof TRPCClientError && (error.data as { code: string }).code,
    );
  };

  it('accepts the token', async () => {
    expect(await codeOf('t'.repeat(32))).toBe('ok');
    expect(await codeOf('')).toBe('UNAUTHORIZED');
    expect(await codeOf('t'.repeat(31))).toBe('UNAUTHORIZED');
    const answer = await fetch(`${facades.rpcUrl}/health`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="tapedeck"']);
    expect(await answer.json()).toMatchObject({ error: { data: { body: { code: 'unauthorized' } } } });
  });
});
