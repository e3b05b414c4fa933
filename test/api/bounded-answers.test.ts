import { BlockList, createServer, Socket } from 'node:net';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAnswerBudget } from '../../api/edge/answer-budget.ts';
import { capConnections, CONNECTION_LIMITS } from '../../api/edge/connections.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

describe('the security headers', () => {
  const headersOf = async (url: string): Promise<Headers> => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.headers;
  };

  it.each([
    '/docs',
    '/docs/',
    '/docs/initializer.js',
    '/docs/swagger-ui.css',
    '/openapi.json',
    '/live',
    '/api/downloads',
    '/nothing',
  ])('forbid execution and framing: %s', async (path) => {
    const headers = await headersOf(facades.url + path);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('are the same over tRPC', async () => {
    const headers = await headersOf(`${facades.rpcUrl}/health`);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('allow the page of the API to run its own scripts', async () => {
    expect((await headersOf(`${facades.url}/docs`)).get('content-security-policy')).toContain("default-src 'self'");
  });
});

describe('the answer budget', () => {
  const budget = () => createAnswerBudget({ perCallerBytes: 10, inAllBytes: 20, streamsPerCaller: 2 });

  it('allows one answer of any size, and refuses a second one until the first is released', () => {
    const { hold } = budget();
    const release = hold('one', 100);
    expect(() => hold('one', 1)).toThrow(expect.objectContaining({ code: 'answers_unread' }));
    expect(() => hold('other', 1)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    release();
    hold('one', 10);
    // A second release has no effect.
    release();
    expect(() => hold('one', 1)).toThrow(expect.objectContaining({ code: 'answers_unread' }));
  });

  it('does not wait when the reader has left', async () => {
    const full = budget();
    full.hold('one', 10);
    await expect(full.waitForRoom('one', 1, AbortSignal.abort())).rejects.toThrow();
    const left = new AbortController();
    const waiting = full.waitForRoom('one', 1, left.signal);
    left.abort();
    await expect(waiting).rejects.toThrow();
  });
});

describe('a batch over tRPC', () => {
  it('has at most ten calls', async () => {
    const list = vi.spyOn(facades.deps.deliveries, 'list');
    const batch = async (calls: number) => {
      const names = Array.from({ length: calls }, () => 'webhook.deliveries').join(',');
      const input = Object.fromEntries(Array.from({ length: calls }, (_, index) => [index, {}]));
      const query = `batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
      const headers = { authorization: `Bearer ${facades.rpcToken}` };
      return (await fetch(`${facades.rpcUrl}/${names}?${query}`, { headers })).status;
    };
    expect(await batch(10)).toBe(200);
    expect(list).toHaveBeenCalledTimes(10);
    expect(await batch(11)).toBe(400);
    expect(list).toHaveBeenCalledTimes(10);
  });
});

describe('a semaphore', () => {
  it('runs a few tasks at a time, and rejects tasks that would wait too long', async () => {
    const semaphore = createSemaphore(2, 50);
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const work = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    const first = [semaphore.withPermit(work), semaphore.withPermit(work)];
    await expect(semaphore.withPermit(work)).rejects.toThrow('no permit within 50 ms');
    const next = semaphore.withPermit(work);
    ends.shift()!();
    await first[0];
    await expect.poll(() => ends.length).toBe(2);
    for (const end of ends) end();
    await Promise.all([...first, next]);
    expect(most).toBe(2);
  });

  it('limits the lists that read the whole database', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => (await fetch(`${facades.url}/api/downloads`)).status),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});

it('a list of a key searches at most a thousand downloads, and returns a cursor for the rest', async () => {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read'] });
  const ids = Array.from({ length: 1_100 }, (_, index) => ulid(Date.now() + index));
  const asked = ids.map((id) => ({ _id: `${key.id}/${id}`, requestedAt: '2026-11-21T09:30:00.123456Z' }));
  await facades.db.collection<{ _id: string; requestedAt: string }>('key_downloads').insertMany(asked);
  const list = vi.spyOn(facades.deps.records, 'list');
  const page = async (query: string) => {
    const answer = await fetch(`${facades.url}/api/downloads?${query}`, {
      headers: { Authorization: `Bearer ${key.text}` },
    });
    return (await answer.json()) as { downloads: unknown[]; next_cursor: string | null };
  };
  const first = await page('type=audio');
  expect(first).toEqual({ downloads: [], next_cursor: ids[100] });
  expect(list).toHaveBeenCalledTimes(5);
  expect(await page(`type=audio&cursor=${String(first.next_cursor)}`)).toEqual({ downloads: [], next_cursor: null });
});

describe('the connections of one address', () => {
  it('are limited, except for this machine and for proxies', () => {
    const server = createServer();
    const proxies = new BlockList();
    proxies.addSubnet('10.0.0.0', 8, 'ipv4');
    capConnections(server, { ...CONNECTION_LIMITS, perAddress: 2 }, proxies);
    const connect = (remoteAddress: string): Socket => {
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
      server.emit('connection', socket);
      return socket;
    };
    const areCut = (addresses: readonly string[]) => addresses.map(connect).map(({ destroyed }) => destroyed);
    expect(areCut(['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])).toEqual([false, false, true, false]);
    expect(areCut(['2001:db8::1', '2001:db8::2', '2001:db8::3'])).toEqual([false, false, true]);
    expect(areCut(Array<string>(4).fill('127.0.0.1'))).not.toContain(true);
    expect(areCut(Array<string>(4).fill('::ffff:127.0.0.1'))).not.toContain(true);
    expect(areCut(Array<string>(4).fill('10.1.2.3'))).not.toContain(true);
    const one = connect('192.0.2.3');
    connect('192.0.2.3');
    one.emit('close');
    expect(connect('192.0.2.3').destroyed).toBe(false);
  });
});
