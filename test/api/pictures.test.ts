import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { httpReceiver, loopback } from '../outbound/receivers.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)]);
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(100)]);

let facades: Facades;
let withKeys: Facades;
beforeAll(async () => {
  facades = await startFacades(1, { pictureNetworks: loopback });
  withKeys = await startFacades(100_000, { pictureNetworks: loopback, allowsAnonymous: false });
});
afterAll(async () => {
  await facades.close();
  await withKeys.close();
});

const pictureAt = (url: string, service = facades, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/pictures?url=${encodeURIComponent(url)}`, { headers });
async function hostOf(listener: RequestListener): Promise<string> {
  const { port } = await httpReceiver(listener);
  return `http://127.0.0.1:${String(port)}/picture`;
}
const answering = (body: Buffer | string, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => void response.writeHead(200, headers).end(body);
};

describe('the picture proxy', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
  ])('passes on a picture of the type %s, whatever its host calls it', async (type, bytes) => {
    const answer = await pictureAt(await hostOf(answering(bytes, { 'content-type': 'text/html' })));
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('sends the host no header of the viewer', async () => {
    let received: unknown;
    const url = await hostOf((request, response) => {
      received = request.headers;
      response.end(PNG);
    });
    await pictureAt(url, facades, { cookie: 'secret=1', referer: 'http://viewer.example/', 'user-agent': 'viewer' });
    expect(JSON.stringify(received)).not.toMatch(/secret|viewer/);
  });

  it.each([
    ['a page', answering('<html></html>', { 'content-type': 'image/png' })],
    ['an SVG, which can contain scripts', answering('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['an empty answer', answering('')],
    ['a picture that is too large', answering(Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)]))],
    ['an error', ((_request, response) => void response.writeHead(500).end()) satisfies RequestListener],
    [
      'a redirect to a port that is not public',
      ((_request, response) => {
        response.writeHead(302, { location: 'http://192.168.0.1/' }).end();
      }) satisfies RequestListener,
    ],
  ])('answers 404 for %s', async (_what, listener) => {
    const answer = await pictureAt(await hostOf(listener));
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  });

  it('calls no private address', async () => {
    let calls = 0;
    const url = await hostOf((_request, response) => {
      calls += 1;
      response.end(PNG);
    });
    const guarded = await startFacades(100_000);
    const answer = await pictureAt(url, guarded);
    expect([answer.status, calls]).toEqual([404, 0]);
    await guarded.close();
  });

  it.each([
    '',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,',
    `https://a.example/${'x'.repeat(3_000)}`,
  ])('rejects the URL %j', async (url) => {
    const answer = await pictureAt(url);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'invalid_input', details: [{ path: 'url' }] },
    ]);
  });

  it('requires an API key where callers need one, and does not count towards the rate limit', async () => {
    const url = await hostOf(answering(PNG));
    expect((await pictureAt(url, withKeys)).status).toBe(401);
    const key = await withKeys.deps.keys.create({ name: 'viewer', scopes: ['read'] });
    await withKeys.deps.accounts.open(key.id, undefined);
    expect((await pictureAt(url, withKeys, { authorization: `Bearer ${key.text}` })).status).toBe(200);
    for (let n = 0; n < 5; n += 1) expect((await pictureAt(url)).status).toBe(200);
  });

  it('refuses pages of other sites', async () => {
    const url = await hostOf(answering(PNG));
    const answer = await pictureAt(url, facades, { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(403);
  });
});
