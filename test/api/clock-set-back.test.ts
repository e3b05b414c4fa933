import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '../../api/access/authenticate.ts';
import { createRequestCounter } from '../../api/access/request-counter.ts';
import { LATE_MS, sinceOf } from '../../api/events/position.ts';
import { waitingOf } from '../../api/pending-tasks.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { isWithin } from '../../contract/within.ts';
import { QUEUED } from '../../pacing/routes.ts';
import { awaitEngine } from '../../runtime/subprocess/await-engine.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { makeSecret } from '../../store/accounts/key-secrets.ts';
import { createLinkSigner } from '../../store/files/link-signer.ts';
import type { RequestCountStore } from '../../store/accounts/request-counts.ts';
import { isReusable } from '../../store/records/is-reusable.ts';

const HOUR_MS = 3_600_000;
const BEGAN_MS = Date.parse('2026-11-26T12:00:00Z');
const log = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers({ now: BEGAN_MS, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const setBack = (ms = HOUR_MS): void => void vi.setSystemTime(BEGAN_MS - ms);

describe('when the system clock is set back by an hour', () => {
  it('a window of the rate limit lasts at most a minute', async () => {
    let elapsedMs = 0;
    const windows = new Map<string, number>();
    const add: RequestCountStore['add'] = (caller, amount, { startMs }) => {
      const id = `${caller} ${String(startMs)}`;
      windows.set(id, (windows.get(id) ?? 0) + amount);
      return Promise.resolve({ startMs, used: windows.get(id) ?? 0 });
    };
    const requestCounts = { add, removeBefore: () => Promise.resolve() };
    const counter = createRequestCounter({ requestCounts, now: Date.now, elapsed: () => elapsedMs, log }, 90);
    for (let count = 0; count < 91; count += 1) await counter.count('caller', 1, false);
    setBack();
    elapsedMs = 59_999;
    expect((await counter.count('caller', 1, false)).used).toBeGreaterThan(90);
    elapsedMs = 60_000;
    const next = await counter.count('caller', 1, false);
    expect(next).toEqual({ used: 1, endsAt: 120_000, refused: 0 });
  });

  it('a window that another process started with a fast clock lasts at most a minute', async () => {
    let elapsedMs = 0;
    const ahead = { startMs: BEGAN_MS, used: 90 };
    setBack();
    const requestCounts = { add: () => Promise.resolve(ahead), removeBefore: () => Promise.resolve() };
    const counter = createRequestCounter({ requestCounts, now: Date.now, elapsed: () => elapsedMs, log }, 90);
    expect((await counter.count('caller', 1, false)).endsAt).toBe(60_000);
    elapsedMs = 60_000;
    expect(counter.known('caller').used).toBe(0);
  });

  it('a revoked key is refused within the usual time', async () => {
    let elapsedMs = 0;
    const { id, key: text, hash } = makeSecret();
    const key = { id, name: 'test', hash, scopes: ['read' as const], createdAt: '2026-11-21T09:30:00.123456Z' };
    const get = vi.fn().mockResolvedValue(key);
    const authenticate = createAuthenticate({ keys: { get }, allowsAnonymous: false, elapsed: () => elapsedMs });
    await authenticate(`Bearer ${text}`);
    get.mockResolvedValue({ ...key, revokedAt: '2026-11-26T12:00:00.000000Z' });
    setBack();
    elapsedMs = 2_499;
    await expect(authenticate(`Bearer ${text}`)).resolves.toMatchObject({ kind: 'key' });
    elapsedMs = 2_500;
    await expect(authenticate(`Bearer ${text}`)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('a signed link is valid for at most twice its lifetime', () => {
    const ttlSeconds = 600;
    const signer = createLinkSigner({ secrets: ['s'.repeat(32)], driveUrl: 'https://drive.example', ttlSeconds });
    const { pathname, searchParams } = new URL(signer.linkTo('01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 'a.m4a'));
    const link = { expires: searchParams.get('Expires'), signature: searchParams.get('Signature') };
    setBack(ttlSeconds * 1000 - 1);
    expect(signer.isValid(pathname, link)).toBe(true);
    setBack();
    expect(signer.isValid(pathname, link)).toBe(false);
  });

  it('a result with a time in the future is not reused forever', async () => {
    const record = { type: 'list', status: 'success', finishedAt: '2027-11-26T12:00:00.000000Z' } as DownloadRecord;
    const files = {} as FileStore;
    expect(await isReusable(record, files)).toBe(false);
    expect(await isReusable({ ...record, finishedAt: '2026-11-26T12:00:00.000000Z' } as DownloadRecord, files)).toBe(
      true,
    );
  });

  it('new records have the time of the clock, also after it is set forward', () => {
    const differenceMs = () => Math.abs(Date.parse(nowMicroseconds()) - Date.now());
    for (const stepMs of [0, HOUR_MS, -HOUR_MS, -1_500, 0]) {
      setBack(stepMs);
      expect(differenceMs()).toBeLessThanOrEqual(1_000);
    }
  });

  it('times of records increase while the clock is not changed', () => {
    vi.useRealTimers();
    const times = Array.from({ length: 1_000 }, nowMicroseconds);
    expect(times).toEqual([...times].sort());
  });

  it('a reader of events that reconnects misses no end', () => {
    setBack();
    const last = { sinceMs: BEGAN_MS - LATE_MS, reported: [] };
    expect(sinceOf(last, Date.now())).toBe(Date.now() - LATE_MS);
    expect(sinceOf(last, BEGAN_MS)).toBe(last.sinceMs);
    expect(sinceOf(undefined, BEGAN_MS)).toBeUndefined();
  });

  it('a job that waits in its queue reports that', async () => {
    const activity = { activityId: 'page#1', state: 1, scheduledTime: { seconds: BEGAN_MS / 1000, nanos: 0 } };
    const closed = { of: () => ({ open: () => Promise.resolve(undefined) }) };
    const waiting = () => waitingOf({} as never, [activity] as never, closed as never);
    expect(await waiting()).toBeUndefined();
    setBack();
    expect(await waiting()).toEqual({ reason: QUEUED });
  });

  it('the wait for an engine is limited', async () => {
    setBack();
    let tries = 0;
    const reach = () => {
      tries += 1;
      setBack(HOUR_MS * (tries + 1));
      return Promise.reject(new Error('away'));
    };
    const options = { name: 'MongoDB', setting: 'MONGODB_URI', timeoutMs: 600, log };
    await expect(awaitEngine(options, reach)).rejects.toThrow('cannot be used');
    expect(tries).toBeLessThanOrEqual(3);
  });
});

describe('a period that began at a stored time', () => {
  it.each([
    ['has just begun', 0, true],
    ['is nearly over', -999, true],
    ['is over', -1_000, false],
    ['began by a clock that is a little ahead', 999, true],
    ['began further ahead than it lasts', 1_000, false],
    ['began years ahead', 1e11, false],
    ['began at no valid time', NaN, false],
  ])('%s', (_what, aheadMs, lasts) => {
    expect(isWithin(BEGAN_MS + aheadMs, 1_000, BEGAN_MS)).toBe(lasts);
  });
});
