import { randomUUID } from 'node:crypto';
import { BlockList } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { ulid } from 'ulid';
import { CALLERS_MAX, createRequestCounter } from '../../api/access/request-counter.ts';
import { makeRoom } from '../../runtime/recent-cache.ts';
import type { RequestCountStore } from '../../store/accounts/request-counts.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

// Two processes of the api, which share only the database.
let two: Facades[];
let nowMs = Date.parse('2026-11-21T09:30:00Z');
async function startTwo(limit: number): Promise<Facades[]> {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
  const database = `limit-${randomUUID().slice(0, 8)}`;
  const started = [
    await startFacades(limit, { database, trustedProxies }),
    await startFacades(limit, { database, trustedProxies }),
  ];
  for (const { deps } of started) {
    vi.mocked(deps.now).mockImplementation(() => nowMs);
    vi.mocked(deps.elapsed).mockImplementation(() => nowMs);
  }
  return started;
}
beforeAll(async () => {
  two = await startTwo(90);
});
// Each test has its own windows.
beforeEach(() => {
  nowMs += 600_000;
});
afterAll(() => Promise.all(two.map((one) => one.close())));

const UNKNOWN = '/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const ask = (index: number, headers: Record<string, string>, path = UNKNOWN): Promise<Response> =>
  fetch(two[index % two.length]!.url + path, { headers });
const statusesOf = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status);

describe('the rate limit', () => {
  it('accepts 90 of 200 reads by two processes, or one more for each, and returns Retry-After', async () => {
    const answers = await Promise.all(
      // Text that a client writes left of the proxy's entry must not create a second caller.
      Array.from({ length: 200 }, (_, index) =>
        ask(index, { 'x-forwarded-for': `10.0.0.${String(index)}, 192.0.2.1` }),
      ),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    const passed = answers.filter((answer) => answer.status === 404).length;
    expect(passed).toBeGreaterThanOrEqual(90);
    // Each process lets one read pass before it knows the sum of both.
    expect(passed).toBeLessThanOrEqual(92);
    expect(refused).toHaveLength(200 - passed);
    const seconds = Number(refused[0]!.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    for (const answer of answers) {
      expect(answer.headers.get('ratelimit-limit')).toBe('90');
      expect(Number(answer.headers.get('ratelimit-remaining'))).toBeGreaterThanOrEqual(0);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
    nowMs += seconds * 1000;
    expect((await ask(0, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(404);
  });

  it('accepts the 90th request and refuses the 91st', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 91; index += 1) {
      statuses.push((await ask(index, { 'x-forwarded-for': '192.0.2.2' })).status);
    }
    expect(statuses.slice(0, 90)).toEqual(Array<number>(90).fill(404));
    expect(statuses[90]).toBe(429);
  });

  it('counts each key separately, whatever its address', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => two[0]!.deps.keys.create({ name, scopes: ['read'] })),
    );
    const headers = (key: typeof one) => ({ authorization: `Bearer ${key!.text}`, 'x-forwarded-for': '192.0.2.3' });
    const statuses = await statusesOf(Array.from({ length: 91 }, (_, index) => ask(index, headers(one))));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await ask(0, headers(other))).status).toBe(404);
    expect((await ask(0, { 'x-forwarded-for': '192.0.2.3' })).status).toBe(404);
  });

  it('counts invalid keys for their address', async () => {
    const headers = { authorization: 'Bearer td_wrong', 'x-forwarded-for': '192.0.2.4' };
    const statuses = await statusesOf(Array.from({ length: 91 }, (_, index) => ask(index, headers)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(90);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('counts an IPv6 network as one caller', async () => {
    const from = (index: number) => ({ 'x-forwarded-for': `2001:db8:1:2::${index.toString(16)}` });
    const statuses = await statusesOf(Array.from({ length: 91 }, (_, index) => ask(index, from(index))));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await ask(0, { 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(404);
  });

  it('counts neither health nor files', async () => {
    expect((await fetch(`${two[0]!.url}/health`)).status).toBe(200);
    const file = await fetch(`${two[0]!.url}/files/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/a.m4a`);
    expect(file.status).toBe(403);
    expect(file.headers.get('ratelimit-limit')).toBeNull();
  });

  it('removes old counts', async () => {
    const windows = two[0]!.db.collection<{ _id: string }>('windows');
    const within = { timeout: 20_000 };
    await ask(0, { 'x-forwarded-for': '192.0.2.5' });
    // A read request does not wait for the count.
    await vi.waitFor(async () => expect(await windows.countDocuments({ startMs: nowMs })).toBe(1), within);
    nowMs += 600_000;
    await ask(0, { 'x-forwarded-for': '192.0.2.5' });
    await vi.waitFor(async () => {
      const left = await windows.find().toArray();
      expect(left.filter(({ _id }) => Number.parseInt(_id, 10) < nowMs - 180_000)).toEqual([]);
      expect(left.length).toBeGreaterThan(0);
    }, within);
  });
});

describe('a window of the rate limit', () => {
  // A small limit is used up at each of these times.
  let few: Facades[];
  beforeAll(async () => {
    few = await startTwo(10);
  });
  afterAll(() => Promise.all(few.map((one) => one.close())));
  const ask = (index: number, headers: Record<string, string>): Promise<Response> =>
    fetch(few[index % few.length]!.url + UNKNOWN, { headers });

  it('begins with a request to any process and lasts a minute', async () => {
    // Requests arrive at each of these times after the start of a minute.
    for (const beginMs of [0, 1, 29_999, 59_998, 59_999]) {
      nowMs = Math.ceil(nowMs / 60_000) * 60_000 + 600_000 + beginMs;
      const from = { 'x-forwarded-for': '192.0.2.6' };
      const first = await ask(0, from);
      expect(first.headers.get('ratelimit-reset')).toBe('60');
      await vi.waitFor(async () => {
        const windows = few[0]!.db.collection('windows');
        expect(await windows.countDocuments({ startMs: nowMs })).toBe(1);
      }, 20_000);
      nowMs += 59_999;
      const last = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index, from)));
      expect(last.filter(({ status }) => status === 404)).toHaveLength(9);
      expect(last.find(({ status }) => status === 429)!.headers.get('retry-after')).toBe('1');
      nowMs += 1;
      const next = await ask(1, from);
      expect(next.status).toBe(404);
      expect(next.headers.get('ratelimit-remaining')).toBe('9');
    }
  });
});

describe('requests for unknown IDs', () => {
  const LIMIT = 10;
  let one: Facades;
  beforeAll(async () => {
    one = await startFacades(LIMIT);
  });
  afterAll(() => one.close());
  const withKey = async () => {
    const key = await one.deps.keys.create({ name: 'test', scopes: ['read'] });
    return { authorization: `Bearer ${key.text}` };
  };

  it.each([
    ['15,500 characters', 'A'.repeat(15_500)],
    ['a ULID in lower case', '01jd5z3k6vq0w8r9t2x4y6b8cd'],
    ['a ULID and a character', '01JD5Z3K6VQ0W8R9T2X4Y6B8CDE'],
    ['a time that no ULID has', '81JD5Z3K6VQ0W8R9T2X4Y6B8CD'],
    ['a letter that no ULID has', '01JD5Z3K6VQ0W8R9T2X4Y6B8CU'],
    ['an encoded slash', '01JD5Z3K6VQ0W8R9T2X4Y6B8%2FD'],
    ['a line break', '01JD5Z3K6VQ0W8R9T2X4Y6B8C%0A'],
  ])('are counted and answered 404 without a database query if the ID is malformed: %s', async (_what, id) => {
    const headers = await withKey();
    const lookUps = vi.spyOn(one.deps.records, 'get');
    for (const path of [`/downloads/${id}`, `/api/downloads/${id}/result`, `/api/transcripts/${id}.srt`]) {
      expect((await fetch(one.url + path, { headers })).status).toBe(404);
    }
    expect(lookUps).not.toHaveBeenCalled();
    const answer = await fetch(`${one.url}/api/downloads/${id}`, { headers });
    expect(answer.headers.get('ratelimit-remaining')).toBe(String(LIMIT - 4));
    lookUps.mockRestore();
  });

  it('cost a caller over the limit no more database queries than the limit', async () => {
    const headers = await withKey();
    const lookUps = vi.spyOn(one.deps.records, 'get');
    const statuses: number[] = [];
    for (let count = 0; count < 8 * LIMIT; count += 1) {
      if (count === LIMIT) lookUps.mockClear();
      statuses.push((await fetch(`${one.url}/downloads/${ulid()}`, { headers })).status);
    }
    expect(statuses.slice(LIMIT).every((status) => status === 429)).toBe(true);
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(LIMIT);
    lookUps.mockRestore();
  });
});

describe('a process with many callers', () => {
  it('counts a limited number of them', async () => {
    const map = new Map<string, number>();
    for (let count = 0; count < 1_000; count += 1) {
      makeRoom(map, 10);
      map.set(String(count), count);
    }
    expect([...map.values()]).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
    const requestCounts = { add: () => Promise.reject(new Error('away')), removeBefore: () => Promise.resolve() };
    const now = () => nowMs;
    const counter = createRequestCounter({ requestCounts, now, elapsed: now, log: pino({ level: 'silent' }) }, 90);
    await counter.count('first', 1, false);
    for (let count = 0; count < CALLERS_MAX; count += 1) await counter.count(String(count), 1, false);
    expect(counter.known('first').used).toBe(0);
    expect(counter.known(String(CALLERS_MAX - 1)).used).toBe(1);
  });
});

describe('while the database cannot be reached', () => {
  it('each process counts alone', async () => {
    const add = vi.fn<RequestCountStore['add']>(() => Promise.reject(new Error('away')));
    const requestCounts = { add, removeBefore: () => Promise.resolve() };
    const now = () => nowMs;
    const counter = createRequestCounter({ requestCounts, now, elapsed: now, log: pino({ level: 'silent' }) }, 90);
    const counts = await Promise.all(Array.from({ length: 100 }, () => counter.count('caller', 1, false)));
    expect(counts.filter(({ used }) => used <= 90)).toHaveLength(90);
    // It is not queried again for each request.
    expect(add.mock.calls.length).toBe(1);
    add.mockResolvedValue({ startMs: nowMs, used: 1 });
    nowMs += 3_000;
    expect((await counter.count('another', 1, false)).used).toBe(1);
  });

  it('a read request does not wait for it', async () => {
    const add = vi.spyOn(two[0]!.deps.requestCounts, 'add').mockReturnValue(new Promise(() => undefined));
    const answer = await ask(0, { 'x-forwarded-for': '192.0.2.7' });
    expect([answer.status, add.mock.calls.length]).toEqual([404, 1]);
    add.mockRestore();
  });
});

describe('read requests far below the limit', () => {
  it('are written together without waiting', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let sum = 0;
      const add = vi.fn<RequestCountStore['add']>((_caller, amount, { startMs }) =>
        Promise.resolve({ startMs, used: (sum += amount) }),
      );
      const requestCounts = { add, removeBefore: () => Promise.resolve() };
      const log = pino({ level: 'silent' });
      const counter = createRequestCounter(
        { requestCounts, now: () => nowMs, elapsed: () => performance.now(), log },
        6_400,
      );
      const used: number[] = [];
      for (let index = 0; index < 90; index += 1) used.push((await counter.count('caller', 1, true)).used);
      expect(used).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
      expect(add.mock.calls.map(([, amount]) => amount)).toEqual([1]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(add.mock.calls.map(([, amount]) => amount)).toEqual([1, 89]);
      // The accepted reads are written in one batch, and a request that changes something is counted after them.
      for (let index = 0; index < 100; index += 1) await counter.count('caller', 1, true);
      await vi.advanceTimersByTimeAsync(0);
      expect(sum).toBe(190);
      await counter.count('caller', 1, true);
      expect((await counter.count('caller', 1, false)).used).toBe(192);
    } finally {
      vi.useRealTimers();
    }
  });
});
