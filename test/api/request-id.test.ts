import { request as httpRequest } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { requestIdFrom } from '../../api/http/request-id.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requestId?: string;
}
const lines: Line[] = [];
let facades: Facades;
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  facades = await startFacades(100_000, { log });
});
afterAll(() => facades.close());
beforeEach(() => {
  lines.length = 0;
  facades.jobs.start.mockClear();
});

const OWN_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const body = (id: string): string => JSON.stringify({ vidnet_video_id: id });
const audio = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${facades.url}/api/downloads/audio`, { method: 'POST', headers, body: body(id) });
const rpc = (procedure: string, init: { headers?: Record<string, string>; body?: string; method?: string } = {}) =>
  fetch(`${facades.rpcUrl}/${procedure}`, {
    ...init,
    headers: { authorization: `Bearer ${facades.rpcToken}`, 'content-type': 'application/json', ...init.headers },
  });
const idOf = ({ headers }: Response): string | null => headers.get('x-request-id');
const idOfJob = (): unknown => facades.jobs.start.mock.calls[0]?.[2]?.requestId;

it('takes the request ID of the caller into the answer, the log and the job', async () => {
  const id = 'order-7:a.b/c+d=e@f_g';
  const answer = await audio('aaaaaaaaaaa', { 'x-request-id': id });
  expect([answer.status, idOf(answer), idOfJob()]).toEqual([202, id, id]);
  expect(lines).toMatchObject([
    { msg: 'job accepted', requestId: id },
    { msg: 'request', requestId: id },
  ]);
});

it('does the same over tRPC, also for a refused call', async () => {
  const [headers, method] = [{ 'x-request-id': 'rpc-7' }, 'POST'];
  const answer = await rpc('downloads.audio', { headers, method, body: body('bbbbbbbbbbb') });
  expect([answer.status, idOf(answer), idOfJob()]).toEqual([200, 'rpc-7', 'rpc-7']);
  expect(lines).toMatchObject([
    { msg: 'job accepted', requestId: 'rpc-7' },
    { msg: 'request', requestId: 'rpc-7' },
  ]);
  const refused = await rpc('health', { headers: { ...headers, authorization: 'Bearer wrong' } });
  expect([refused.status, idOf(refused)]).toEqual([401, 'rpc-7']);
  expect(idOf(await rpc('none'))).toMatch(OWN_ID);
});

it('generates a request ID for a request without one, and adds it to every answer', async () => {
  const answers = await Promise.all([
    ...[
      '/',
      '/health',
      '/live',
      '/openapi.json',
      '/docs',
      '/console',
      '/api/none',
      '/files/a/b',
      '/downloads/none',
    ].map((path) => fetch(facades.url + path, { redirect: 'manual' })),
    fetch(`${facades.url}/health`, { method: 'HEAD' }),
    fetch(`${facades.url}/health`, { method: 'PUT' }),
    fetch(`${facades.url}/api/downloads/audio`, { method: 'POST', body: 'no JSON' }),
    fetch(`${facades.url}/api/downloads/audio`, { method: 'POST', body: 'x'.repeat(70_000) }),
    fetch(`${facades.url}/api/downloads`, { headers: { authorization: 'Bearer tdk_wrong_wrong' } }),
  ]);
  for (const answer of answers) expect([answer.url, idOf(answer)]).toEqual([answer.url, expect.stringMatching(OWN_ID)]);
  expect(new Set(answers.map(idOf)).size).toBe(answers.length);
});

it('adds the request ID to the log line of an internal error, over REST and over tRPC', async () => {
  facades.jobs.start.mockRejectedValueOnce(new Error('a bug')).mockRejectedValueOnce(new Error('a bug'));
  const rest = await audio('ccccccccccc', { 'x-request-id': 'rest-8' });
  const headers = { 'x-request-id': 'rpc-8' };
  const over = await rpc('downloads.audio', { headers, method: 'POST', body: body('ddddddddddd') });
  expect([rest.status, idOf(rest), over.status, idOf(over)]).toEqual([500, 'rest-8', 500, 'rpc-8']);
  expect(lines.filter(({ level }) => level >= 50)).toMatchObject([
    { requestId: 'rest-8', err: { message: 'a bug' }, path: '/api/downloads/audio' },
    { requestId: 'rpc-8', err: { message: 'a bug' }, procedure: 'downloads.audio' },
  ]);
});

it.each([
  ['of 10 kB', 'x'.repeat(10_000)],
  ['one character too long', 'x'.repeat(129)],
  ['empty', ''],
  ['with a control character', 'a\tb'],
  ['with a quote', 'a"b'],
  ['with markup', '<script>'],
  ['in another script', Buffer.from('é').toString('latin1')],
])('replaces an unacceptable request ID: %s', async (_how, id) => {
  const answer = await audio('eeeeeeeeeee', { 'x-request-id': id });
  expect(idOf(answer)).toMatch(OWN_ID);
  expect(idOfJob()).toBe(idOf(answer));
  expect(idOf(await rpc('health', { headers: { 'x-request-id': id } }))).toMatch(OWN_ID);
});

it('ignores a repeated header and accepts no line break', async () => {
  const send = (value: string | string[]) =>
    new Promise<string | string[] | undefined>((resolve, reject) => {
      const sent = httpRequest(`${facades.url}/health`, ({ headers }) => resolve(headers['x-request-id']));
      sent.on('error', reject).setHeader('X-Request-Id', value).end();
    });
  expect(await send(['one', 'two'])).toMatch(OWN_ID);
  expect(await send('x'.repeat(128))).toBe('x'.repeat(128));
  // Node accepts no line break in a header, but the function does not rely on that.
  for (const id of ['a\nb', 'a\n', 'a\r\nSet-Cookie: a']) expect(requestIdFrom(id)).toMatch(OWN_ID);
});
