import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
}
const lines: Line[] = [];
let facades: Facades;
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  facades = await startFacades(100_000, { log });
});
afterAll(() => facades.close());
beforeEach(() => void (lines.length = 0));

const requestLines = (): readonly Line[] => lines.filter(({ msg }) => msg === 'request');
const ms = expect.any(Number) as number;

it('writes one line per request with the pattern of its path and the ID of the key', async () => {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read'] });
  await facades.deps.accounts.open(key.id, undefined);
  const id = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
  const headers = { authorization: `Bearer ${key.text}`, 'x-request-id': 'one' };
  const answer = await fetch(`${facades.url}/downloads/${id}?secret=1`, { headers });
  await answer.text();
  expect(answer.status).toBe(404);
  const line = { level: 30, method: 'GET', route: '/downloads/:downloadId', status: 404, ms, requestId: 'one' };
  expect(requestLines()).toEqual([expect.objectContaining({ ...line, keyId: key.id })]);
  expect(JSON.stringify(requestLines())).not.toContain(id);
});

it.each([
  ['an unknown path', '/api/none', 'none', 404],
  ['a forged link', '/files/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/audio.m4a?Expires=1&Signature=x', '/files/**', 403],
  ['an invalid key', '/api/downloads', '/api/downloads', 401],
])('writes a line for %s, without a key ID', async (_what, path, route, status) => {
  await (await fetch(facades.url + path, { headers: { authorization: 'Bearer td_wrong_wrong' } })).text();
  expect(requestLines()).toEqual([expect.objectContaining({ level: 30, method: 'GET', route, status, ms })]);
  expect(requestLines()[0]).not.toHaveProperty('keyId');
});

it('writes the lines of probes at the level debug', async () => {
  await (await fetch(`${facades.url}/live`)).text();
  expect(requestLines()).toEqual([expect.objectContaining({ level: 20, route: '/live', status: 200 })]);
});

it('writes one line per tRPC call', async () => {
  const headers = { authorization: `Bearer ${facades.rpcToken}`, 'x-request-id': 'two' };
  await (await fetch(`${facades.rpcUrl}/health`, { headers })).text();
  expect(requestLines()).toEqual([
    expect.objectContaining({ level: 30, procedure: 'health', status: 200, ms, requestId: 'two' }),
  ]);
});
