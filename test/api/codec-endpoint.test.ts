import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterEach, expect, it, vi } from 'vitest';
import { codecPages } from '../../api/http/codec-endpoint.ts';
import { servePages } from '../../runtime/telemetry/serve-pages.ts';
import { createPayloadCodec } from '../../runtime/temporal/payload-codec.ts';

const UI = 'http://127.0.0.1:8233';
const TOKEN = 'a password of more than 32 letters'.replaceAll(' ', '-');
const key = { id: 'k', key: randomBytes(32) };
const codec = createPayloadCodec({ current: key, all: [key] });

const opened: { close: () => void }[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const one of opened.splice(0)) one.close();
});

async function endpoint({ token, uiUrl = `${UI}/` }: { token?: string; uiUrl?: string } = {}) {
  const pages = codecPages({ codec, uiUrl, token });
  const served = await servePages({ host: '127.0.0.1', port: 0, pages, methods: ['POST', 'OPTIONS'] });
  opened.push(served);
  return (
    path: string,
    init: { method?: string; body?: unknown; text?: string; headers?: Record<string, string> } = {},
  ) =>
    fetch(`http://127.0.0.1:${String(served.port)}${path}`, {
      method: init.method ?? 'POST',
      headers: { 'content-type': 'application/json', ...init.headers },
      ...(init.text === undefined ? {} : { body: init.text }),
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
}

interface DecodedBody {
  readonly payloads: readonly { readonly metadata: Record<string, string>; readonly data: string }[];
}

it('decodes payloads for the Web UI, and encodes its input', async () => {
  const ask = await endpoint();
  const { metadata, data } = defaultPayloadConverter.toPayload({ url: 'https://example.com' });
  const plain = {
    metadata: { encoding: Buffer.from(metadata!['encoding']!).toString('base64') },
    data: Buffer.from(data!).toString('base64'),
  };
  const preflight = await ask('/decode', { method: 'OPTIONS', headers: { origin: UI } });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(UI);
  const encoded = (await (
    await ask('/encode', { body: { payloads: [plain] }, headers: { origin: UI } })
  ).json()) as DecodedBody;
  expect(Buffer.from(encoded.payloads[0]!.metadata['encoding']!, 'base64').toString()).toBe('binary/encrypted');
  const answer = await ask('/decode', { body: encoded, headers: { origin: UI, 'x-namespace': 'default' } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ payloads: [plain] });
});

it.each([['http://evil.example'], ['null'], ['http://127.0.0.1:9999'], ['http://localhost:8233']])(
  'is closed to a page of %s',
  async (origin) => {
    const ask = await endpoint();
    for (const method of ['OPTIONS', 'POST']) {
      const answer = await ask('/decode', {
        method,
        headers: { origin },
        ...(method === 'POST' && { body: { payloads: [] } }),
      });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  },
);

it('requires its token as a password or bearer token, except for a preflight', async () => {
  const ask = await endpoint({ token: TOKEN });
  const statusWith = async (authorization?: string) =>
    (await ask('/decode', { body: { payloads: [] }, headers: authorization === undefined ? {} : { authorization } }))
      .status;
  expect(await statusWith()).toBe(401);
  expect(await statusWith(`Bearer ${TOKEN}x`)).toBe(401);
  expect(await statusWith(`Bearer ${TOKEN}`)).toBe(200);
  expect(await statusWith(`Basic ${Buffer.from(`anybody:${TOKEN}`).toString('base64')}`)).toBe(200);
  expect((await ask('/decode', { method: 'OPTIONS', headers: { origin: UI } })).status).toBe(204);
});

it.each([
  ['empty payloads', () => `{"payloads":[${'{},'.repeat(2_000_000)}{}]}`],
  ['nested arrays', () => `{"payloads":${'['.repeat(1_000_000)}`],
  ['metadata', () => `{"payloads":[{"metadata":{${'"":"",'.repeat(800_000)}"a":""}}]}`],
  ['other fields', () => `{"x":[${'1,'.repeat(2_000_000)}1],"payloads":[]}`],
  ['payloads, a few too many', () => `{"payloads":[${'{},'.repeat(5_000)}{}]}`],
  ['bytes', () => `{"payloads":[{"data":"${'A'.repeat(6 * 1024 ** 2)}"}]}`],
])('answers 400 to a body with too many %s, and spends little time on it', async (_what, textOf) => {
  const translate = vi.spyOn(codec, 'decode');
  const parse = vi.spyOn(JSON, 'parse');
  const ask = await endpoint();
  const text = textOf();
  const before = performance.eventLoopUtilization();
  expect((await ask('/decode', { text })).status).toBe(400);
  expect(performance.eventLoopUtilization(before).active).toBeLessThan(1_000);
  expect(translate).not.toHaveBeenCalled();
  expect(parse.mock.calls.filter(([one]) => one.length > 100_000)).toEqual([]);
});

it('decodes the maximum number of payloads', async () => {
  const payload = { metadata: { encoding: 'anNvbi9wbGFpbg==', 'message-type': 'eA==', more: 'eA==' }, data: 'e30=' };
  const ask = await endpoint();
  const answer = await ask('/encode', { body: { payloads: Array.from({ length: 5_000 }, () => payload) } });
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as DecodedBody).payloads).toHaveLength(5_000);
});

it.each([[{}], [{ payloads: [{ data: '%' }] }], ['text']])('answers 400 to %o', async (body) => {
  const ask = await endpoint();
  expect((await ask('/decode', { body })).status).toBe(400);
});
