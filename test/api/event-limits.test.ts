import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { BlockList, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventStream } from '../../api/edge/event-stream.ts';
import { readEvents, type EventReader } from '../helpers/event-reader.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

const STREAMS = 3;
const CONNECTIONS = 12;
let facades: Facades;
beforeAll(async () => {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
  facades = await startFacades(undefined, {
    trustedProxies,
    looks: { everyMs: 50 },
    answerBudget: { streamsPerCaller: STREAMS },
    connections: { inAll: CONNECTIONS, reserve: 4, headersMs: 4_000 },
  });
  facades.jobs.status.mockResolvedValue({ state: 'running', progress: { stage: 'fetching' } });
});
afterAll(() => facades.close());
const readers: EventReader[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const reader of readers) reader.leave();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(readers.splice(0).map(({ over }) => over));
});

const asCaller = (address: string) => ({ 'x-forwarded-for': address });
const asKey = async () => {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  return { id: key.id, headers: { authorization: `Bearer ${key.text}` } };
};
const aJob = async () => (await keepJob(facades.deps.records, anAudioJob())).id;
async function follow(path: string, headers: Record<string, string>): Promise<EventReader> {
  const reader = await readEvents(`${facades.url}${path}`, headers);
  if (reader.status === 200) readers.push(reader);
  return reader;
}
const events = async () => `/api/downloads/${await aJob()}/events`;

describe('event streams of one caller', () => {
  it.each([
    ['a key', async () => (await asKey()).headers],
    ['an address behind a trusted proxy', () => Promise.resolve(asCaller('192.0.2.1'))],
    ['an IPv6 network', () => Promise.resolve(asCaller('2001:db8::1'))],
  ])('are limited without effect on other callers: %s', async (_who, headersOf) => {
    const headers: Record<string, string> = await headersOf();
    for (let count = 0; count < STREAMS; count += 1) expect((await follow(await events(), headers)).status).toBe(200);
    const answer = await fetch(facades.url + (await events()), { headers });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await answer.json()).toMatchObject({
      code: 'answers_unread',
      error: expect.stringContaining(`${String(STREAMS)} event streams`) as string,
    });
    expect((await follow(await events(), asCaller('192.0.2.9'))).status).toBe(200);
    // A closed stream makes room for another.
    readers[0]!.leave();
    await until(async () => (await follow(await events(), headers)).status === 200);
  });

  it('count together, for single downloads and for all downloads', async () => {
    const { headers } = await asKey();
    for (let count = 0; count < STREAMS; count += 1) {
      expect((await follow(count === 0 ? await events() : '/api/downloads/events', headers)).status).toBe(200);
    }
    expect((await follow('/api/downloads/events', headers)).status).toBe(429);
    expect((await follow(await events(), headers)).status).toBe(429);
  });

  it('do not limit other requests', async () => {
    const { headers } = await asKey();
    for (let count = 0; count < STREAMS; count += 1) await follow(await events(), headers);
    expect((await fetch(`${facades.url}/api/downloads`, { headers })).status).toBe(200);
  });
});

describe('an event stream', () => {
  it('ends after its maximum duration, and continues in the next one without a repeated or lost event', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const path = await events();
      const first = await follow(path, {});
      await vi.waitUntil(async () => {
        await vi.advanceTimersByTimeAsync(100);
        return first.received.length === 1;
      });
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(await first.over).toBe('whole');
      const second = await follow(path, { 'last-event-id': first.lastEventId });
      facades.jobs.status.mockResolvedValue({ state: 'running', progress: { stage: 'converting' } });
      await vi.waitUntil(async () => {
        await vi.advanceTimersByTimeAsync(100);
        return second.received.length > 0;
      });
      expect(second.received.map(({ data }) => (data['data'] as { progress: unknown }).progress)).toEqual([
        { stage: 'converting' },
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stops within a long event when its key is revoked', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const body = { text: 'x'.repeat(100) };
      const events = async function* () {
        for (let id = 0; ; id += 1) yield await Promise.resolve({ id: String(id), body });
      };
      const onCut = vi.fn();
      const stream = eventStream(() => ({ stream: events() }), {
        ...{ stopping: new AbortController().signal, onCut, isStillAuthorized: () => Promise.resolve(false) },
        waitForRoom: () => Promise.resolve(() => undefined),
      });
      const reader = stream.getReader();
      await reader.read();
      await vi.advanceTimersByTimeAsync(2_500);
      let reads = 0;
      while (!(await reader.read()).done) reads += 1;
      // At most the chunks from before the revocation was noticed.
      expect(reads).toBeLessThanOrEqual(2);
      expect(onCut).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a request that waits for its job is refused when its key was revoked meanwhile', async () => {
  const { id, headers } = await asKey();
  const job = await aJob();
  facades.jobs.waitFor.mockImplementationOnce(async () => {
    await facades.deps.keys.revoke(id);
    const began = performance.now();
    vi.mocked(facades.deps.elapsed).mockImplementation(() => began + 5_000);
  });
  const answer = await fetch(`${facades.url}/downloads/${job}`, { headers: { ...headers, prefer: 'wait=30' } });
  vi.mocked(facades.deps.elapsed).mockImplementation(() => performance.now());
  expect(answer.status).toBe(401);
});

describe('while as many connections are open as are allowed', () => {
  const silent = async (): Promise<Socket> => {
    const { hostname, port } = new URL(facades.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  /** Each request has its own connection. */
  const ask = async (path: string) => {
    const [answer] = (await once(get(facades.url + path, { agent: false }), 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };

  it.each(['/live', '/ready', '/health'])('%s is answered, and other requests are refused', async (path) => {
    for (let count = 0; count < CONNECTIONS; count += 1) await silent();
    const refused = await ask('/api/downloads');
    expect([refused.status, refused.headers['retry-after'], refused.headers.connection]).toEqual([503, '5', 'close']);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'unavailable' });
    expect((await ask(path)).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await ask('/api/downloads')).status === 200);
  });

  it('a further one that sends nothing is closed', async () => {
    for (let count = 0; count < CONNECTIONS; count += 1) await silent();
    const further = await silent();
    await once(further.resume(), 'close');
    expect((await ask('/live')).status).toBe(200);
  });
});
