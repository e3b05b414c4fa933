import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSpaceGuard, diskFull, isDiskFull } from '../../store/files/free-space.ts';

const MIB = 1024 ** 2;
const free: Record<string, number> = {};
const settings = {
  folders: ['work', 'files'],
  minFreeBytes: 100 * MIB,
  freeBytes: (folder: string) => Promise.resolve(free[folder] ?? 0),
};
beforeEach(() => {
  Object.assign(free, { work: 200 * MIB, files: 200 * MIB });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return () => vi.useRealTimers();
});

describe('the space guard', () => {
  it.each(['work', 'files'])('refuses to start a download when the folder %s has too little space', async (folder) => {
    const guard = createSpaceGuard(settings);
    await expect(guard.require()).resolves.toBeUndefined();
    free[folder] = 99 * MIB;
    await expect(guard.require()).rejects.toMatchObject({ code: 'disk_full' });
    expect(await guard.isShort()).toBe(false);
  });

  it('stops running downloads one after the other when less than half of the minimum is left', async () => {
    const guard = createSpaceGuard(settings);
    const [first, second] = [vi.fn(), vi.fn()];
    const ends = [guard.watch(first), guard.watch(second)];
    free['work'] = 51 * MIB;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(first.mock.calls.length + second.mock.calls.length).toBe(0);
    free['work'] = 49 * MIB;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(first.mock.calls.length + second.mock.calls.length).toBe(1);
    expect(first.mock.calls[0]?.[0] ?? second.mock.calls[0]?.[0]).toMatchObject({ code: 'disk_full' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
    ends.forEach((end) => end());
  });

  it('stops checking when the download ends', async () => {
    const guard = createSpaceGuard(settings);
    const onShort = vi.fn();
    guard.watch(onShort)();
    free['work'] = 0;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(onShort).not.toHaveBeenCalled();
  });

  it('stops neither a download that ends during a check, nor any when checks fail', async () => {
    const looks: ((bytes: number) => void)[] = [];
    const slow = createSpaceGuard({ ...settings, freeBytes: () => new Promise((answer) => void looks.push(answer)) });
    const onShort = vi.fn();
    const end = slow.watch(onShort);
    await vi.advanceTimersByTimeAsync(1_000);
    end();
    expect(looks).toHaveLength(settings.folders.length);
    looks.forEach((answer) => answer(0));
    await vi.advanceTimersByTimeAsync(10_000);
    const blind = createSpaceGuard({ ...settings, freeBytes: () => Promise.reject(new Error('gone')) });
    const endBlind = blind.watch(onShort);
    await vi.advanceTimersByTimeAsync(10_000);
    endBlind();
    expect([onShort.mock.calls.length, await blind.isShort()]).toEqual([0, false]);
  });

  it('can be disabled, and still detects a full disk', async () => {
    const guard = createSpaceGuard({ ...settings, minFreeBytes: 0 });
    free['work'] = 0;
    const onShort = vi.fn();
    guard.watch(onShort);
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(guard.require()).resolves.toBeUndefined();
    expect([onShort.mock.calls.length, await guard.isShort()]).toEqual([0, true]);
  });

  it('recognizes a full disk or a quota in the causes of an error', () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    expect(isDiskFull(new Error('publishing', { cause: new Error('copy', { cause: full }) }))).toBe(true);
    expect(isDiskFull(Object.assign(new Error('write'), { code: 'EDQUOT' }))).toBe(true);
    expect(isDiskFull(Object.assign(new Error('write'), { code: 'EACCES' }))).toBe(false);
    expect(isDiskFull('ENOSPC')).toBe(false);
    expect(diskFull(full)).toMatchObject({ code: 'disk_full', cause: full });
  });

  const inTransaction = '[msg_insert.go:168 handler.(*Handler).MsgInsert] [db.go:167 fsql.(*DB).InTransaction]';
  const blocked = (reason: string): string => `User writes blocked, reason: ${reason}`;
  it.each([
    ['the embedded server', `${inTransaction} database or disk is full (13)`, 1, true],
    ['the embedded server with a quota', `${inTransaction} disk I/O error (778)`, 1, true],
    ['the embedded server with a full log', `${inTransaction} disk I/O error (4874)`, 1, true],
    ['mongod', 'Available disk space of 3 bytes is less than required minimum of 524288000', 14031, true],
    ['a managed cluster', blocked('DiskUseThresholdExceeded'), 371, true],
    ['a cluster that moves', blocked('ClusterToClusterMigrationInProgress'), 371, false],
    ['a broken disk', `${inTransaction} disk I/O error (266)`, 1, false],
    ['a damaged file', `${inTransaction} database disk image is malformed (11)`, 1, false],
    ['a duplicate', 'E11000 duplicate key: database or disk is full (13)', 11_000, false],
    ['a value', 'not a number: "database or disk is full (13)"', 1, false],
  ])('recognizes whether the database is full from the error of %s', (_, message, code, expected) => {
    const error = new MongoServerError({ message, code });
    expect(isDiskFull(error)).toBe(expected);
    expect(isDiskFull(new Error('keeping', { cause: error }))).toBe(expected);
    const bulk = new MongoBulkWriteError({ message, code, writeErrors: [] }, { insertedCount: 0 } as never);
    expect(isDiskFull(bulk)).toBe(expected);
  });
});
