import { createLocalJobs } from '../../activities/local-jobs.ts';
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import {
  BATCH_WINDOW,
  createBatchActivities,
  type BatchAdvance,
  type BatchDeps,
  type BatchStep,
} from '../../activities/batches/advance-batch.ts';
import type { PieceDeps } from '../../activities/batches/open-piece.ts';
import { newBatch, NO_TOTALS, type StoredBatch } from '../../contract/batches/batch-state.ts';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { failureFor, type Failure } from '../../contract/failures.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createBatchStore, type BatchStore } from '../../store/records/batch-store.ts';

let mongo: Mongo;
let batches: BatchStore;
const acceptItem = vi.fn<PieceDeps['acceptItem']>();
const cancelItem = vi.fn<PieceDeps['cancelItem']>();
const noteInterest = vi.fn<PieceDeps['records']['noteInterest']>((_id, interest) => Promise.resolve(interest));
const leaveProfile = vi.fn<BatchDeps['leaveProfile']>();
const records = new Map<string, DownloadRecord>();
const countPollers = vi.fn<(queue: string) => Promise<number>>().mockResolvedValue(1);
const keys = { get: vi.fn().mockResolvedValue(undefined) };
let deps: BatchDeps;
let activities: ReturnType<typeof createBatchActivities>;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `batch-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  batches = createBatchStore(mongo.db);
  deps = {
    ...{ batches, keys, acceptItem, cancelItem, leaveProfile, routes: routesWith(GENEROUS) },
    localJobs: createLocalJobs(),
    ...{ maxFetches: 4, taskQueue: 'q', countPollers },
    records: { get: (id) => Promise.resolve(records.get(id)), noteInterest },
    endIfGone: (record) => Promise.resolve(ended(record, failureFor('stoppedByOperator'))),
  };
  activities = createBatchActivities(deps);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  records.clear();
  acceptItem.mockReset().mockImplementation(({ recordId, item }) => {
    records.set(recordId, pendingOf(recordId, item));
    return Promise.resolve({ kind: 'accepted', record: records.get(recordId)! });
  });
  noteInterest.mockImplementation((_id, interest) => Promise.resolve(interest));
  cancelItem.mockReset().mockImplementation((record) => {
    records.set(record.id, ended(record, failureFor('cancelled')));
    return Promise.resolve();
  });
});

function pendingOf(id: string, { subjectId, price }: BatchItem) {
  const base = { id, type: 'audio' as const, subjectId, mediaId: subjectId.slice(6), price, startedBy: 'anonymous' };
  return { ...base, createdAt: '2026-11-21T09:30:00.123456Z', status: 'pending' as const };
}
function ended(record: DownloadRecord, failure?: Failure): DownloadRecord {
  const base = { ...pendingOf(record.id, { ...record, request: {} as never }), finishedAt: record.createdAt };
  return failure === undefined
    ? { ...base, status: 'success', charge: record.price, files: [] }
    : { ...base, status: 'failed', failure };
}
function endAll(failure?: Failure): void {
  for (const [id, record] of records) if (record.status === 'pending') records.set(id, ended(record, failure));
}

async function aBatch(count: number, more: Partial<StoredBatch> = {}): Promise<string> {
  const id = ulid();
  const items = Array.from({ length: count }, (_, index): BatchItem => {
    const vidnet_video_id = `${id.slice(-7)}${String(index).padStart(4, '0')}`;
    const request = { operation: 'requestAudio', vidnet_video_id, include_webhook: undefined } as const;
    return { request, subjectId: `audio/${vidnet_video_id}`, price: 5 };
  });
  const createdAt = '2026-11-21T09:30:00.123456Z';
  await batches.create(newBatch({ id, startedBy: 'anonymous', createdAt, updatedAtMs: 0, ...more }));
  await batches.fill(id, items);
  return id;
}
function step(batchId: string, more: Partial<BatchStep> = {}): Promise<BatchAdvance> {
  const usual: BatchStep = { batchId, mode: 'start', isThorough: false };
  return new MockActivityEnvironment().run(activities.advanceBatch, { ...usual, ...more });
}
const read = async (id: string) => (await batches.get(id))!;

describe('advanceBatch', () => {
  it('starts items in their order, never more than the window at once, and counts what has ended', async () => {
    const id = await aBatch(250);
    let advance = await step(id);
    expect(advance.running).toBe(BATCH_WINDOW);
    expect((await read(id)).position).toEqual({ open: [1, 2, 3, 4], next: 5, ended: NO_TOTALS });
    expect(await read(id)).toMatchObject({
      counts: { running: BATCH_WINDOW, waiting: 250 - BATCH_WINDOW },
      open: 1250,
    });
    while (!advance.isOver) {
      endAll();
      advance = await step(id);
      expect(advance.running).toBeLessThanOrEqual(BATCH_WINDOW);
    }
    expect(await read(id)).toMatchObject({ counts: { ...NO_TOTALS.counts, success: 250 }, spent: 1250, open: 0 });
    const started = acceptItem.mock.calls.map(([{ item }]) => item.subjectId);
    expect(started).toEqual([...new Set(started)].toSorted());
    expect(started).toHaveLength(250);
  });

  it('starts no items for the money that the list of a profile has cost', async () => {
    const id = await aBatch(4, { maxCost: 35, listCost: 20 });
    expect(await step(id)).toMatchObject({ running: 3, blocked: 'max_cost' });
  });

  it('opens no more jobs than the workers run at once', async () => {
    countPollers.mockResolvedValueOnce(3);
    const few = createBatchActivities({ ...deps, routes: routesWith({ ...GENEROUS, maxAtOnce: 2 }) });
    const id = await aBatch(10);
    const run = (): Promise<BatchAdvance> => {
      const order: BatchStep = { batchId: id, mode: 'start', isThorough: false };
      return new MockActivityEnvironment().run(few.advanceBatch, order);
    };
    const { running } = await run();
    expect(running).toBe(6);
    endAll();
    expect(await run()).toMatchObject({ running: 4, changed: 10 });
  });

  it('starts no item beside a running one while the job of a single request has just begun', async () => {
    const localJobs = createLocalJobs(() => 0);
    const yielding = createBatchActivities({ ...deps, localJobs, routes: routesWith({ ...GENEROUS, maxAtOnce: 2 }) });
    const order: BatchStep = { batchId: await aBatch(4), mode: 'start', isThorough: false };
    const run = (): Promise<BatchAdvance> => new MockActivityEnvironment().run(yielding.advanceBatch, order);
    expect(await run()).toMatchObject({ running: 2 });
    localJobs.begin('single');
    const [first] = records.keys();
    records.set(first!, ended(records.get(first!)!));
    expect(await run()).toMatchObject({ running: 1 });
    localJobs.end('single');
    expect(await run()).toMatchObject({ running: 2 });
  });

  it('sees that a job has ended in this process before it looks for the ends of others', async () => {
    const id = await aBatch(40);
    acceptItem.mockImplementation(({ recordId, item }) => {
      records.set(recordId, pendingOf(recordId, item));
      if (records.size === 40) setTimeout(endFirst, 200);
      return Promise.resolve({ kind: 'accepted', record: records.get(recordId)! });
    });
    const endFirst = () => {
      const [first] = records.values();
      records.set(first!.id, ended(first!));
      deps.localJobs.end(first!.id);
    };
    expect(await step(id)).toMatchObject({ running: 39, changed: 41 });
  });

  it('follows a job that an interrupted attempt has started, and starts no second one', async () => {
    const id = await aBatch(3);
    const interrupted = new Error('the worker died');
    acceptItem.mockImplementationOnce(({ recordId, item }) => {
      records.set(recordId, ended(pendingOf(recordId, item)));
      return Promise.reject(interrupted);
    });
    await expect(step(id)).rejects.toThrow(interrupted);
    expect((await batches.piece({ batchId: id, number: 1 }))[0]).not.toHaveProperty('progress');
    await step(id);
    expect(acceptItem.mock.calls.filter(([{ item }]) => item.subjectId.endsWith('0000'))).toHaveLength(1);
    endAll();
    expect((await step(id)).isOver).toBe(true);
    expect(await read(id)).toMatchObject({ counts: { success: 3 }, spent: 15 });
  });

  it('pays for a job whose start was answered as busy', async () => {
    const id = await aBatch(2);
    acceptItem.mockImplementationOnce(({ recordId, item }) => {
      records.set(recordId, pendingOf(recordId, item));
      return Promise.resolve({ kind: 'busy' });
    });
    const { running } = await step(id);
    expect([running, acceptItem.mock.calls.length]).toEqual([2, 2]);
    endAll();
    expect((await step(id)).isOver).toBe(true);
    expect(await read(id)).toMatchObject({ counts: { success: 2 }, spent: 10 });
  });

  it('counts nothing for items whose jobs other requests pay for', async () => {
    const id = await aBatch(2);
    acceptItem.mockImplementationOnce(({ item }) => {
      const other = pendingOf(ulid(), item);
      records.set(other.id, other);
      return Promise.resolve({ kind: 'accepted', record: other });
    });
    await step(id);
    expect(await read(id)).toMatchObject({ open: 5 });
    endAll();
    await step(id);
    expect(await read(id)).toMatchObject({ counts: { success: 2 }, spent: 5, open: 0 });
  });

  it('starts no item that would cost more than max_cost, and those of failed items again', async () => {
    const id = await aBatch(5, { maxCost: 14 });
    const advance = await step(id);
    expect([advance.running, advance.blocked]).toEqual([2, 'max_cost']);
    endAll(failureFor('isPrivate', { subject: 'video' }));
    const next = await step(id);
    expect([next.running, next.blocked]).toEqual([2, 'max_cost']);
    endAll();
    expect(await step(id)).toMatchObject({
      running: 0,
      blocked: 'max_cost',
      isOver: false,
    });
    expect(await read(id)).toMatchObject({ counts: { failed: 2, success: 2, waiting: 1 }, spent: 10, open: 5 });
  });

  it('stops at insufficient credit, at a service that accepts nothing, and at a revoked key', async () => {
    const id = await aBatch(20);
    acceptItem.mockResolvedValueOnce({ kind: 'unpaid' });
    expect(await step(id)).toMatchObject({ running: 7, blocked: 'insufficient_credit' });
    const busy = await aBatch(20);
    acceptItem.mockResolvedValue({ kind: 'busy' });
    const advance = await step(busy);
    expect([advance.running, advance.blocked]).toEqual([0, undefined]);
    expect(await step(await aBatch(1, { startedBy: '0123456789abcdef' }))).toMatchObject({ blocked: 'key_revoked' });
  });

  it('goes on after an item that is refused or fails, and counts the chosen failures as skipped', async () => {
    const id = await aBatch(3, { skip: ['private'] });
    acceptItem.mockResolvedValueOnce({ kind: 'refused', failure: { code: 'invalid_input', message: 'No.' } });
    await step(id);
    const [first] = [...records.values()];
    records.set(first!.id, ended(first!, failureFor('isPrivate', { subject: 'video' })));
    endAll();
    expect((await step(id)).isOver).toBe(true);
    expect((await read(id)).counts).toMatchObject({ failed: 1, skipped: 1, success: 1 });
    await new MockActivityEnvironment().run(activities.beginBatch, { batchId: id, isRetry: true });
    const again = await step(id);
    expect([again.running, records.size]).toEqual([1, 3]);
  });

  it('ends items whose workflow or record is gone, in a thorough round', async () => {
    const id = await aBatch(2);
    await step(id);
    const [first] = [...records.keys()];
    records.delete(first!);
    expect((await step(id)).running).toBe(2);
    expect((await step(id, { isThorough: true })).isOver).toBe(true);
    expect((await read(id)).counts.failed).toBe(2);
  });

  it('that is cancelled cancels the jobs that collect its list, waits for their end, and counts what they have cost', async () => {
    const listRun = { id: 'run', createdAtMs: 7, cost: 30 };
    const id = await aBatch(0, { status: 'cancelling', listCost: 35, listRun });
    leaveProfile
      .mockResolvedValueOnce({ cost: 30, isEnding: true })
      .mockResolvedValueOnce({ cost: 10, isEnding: false });
    expect(await step(id, { mode: 'cancel' })).toMatchObject({ isOver: false });
    expect((await step(id, { mode: 'cancel' })).isOver).toBe(true);
    expect(leaveProfile).toHaveBeenCalledWith({ seed: 'run', createdAtMs: 7 });
    expect((await read(id)).listCost).toBe(15);
  });

  it('cancels its own jobs and all waiting items, and leaves the jobs of others', async () => {
    const id = await aBatch(250, { status: 'cancelling' });
    acceptItem.mockImplementationOnce(({ item }) => {
      const other = pendingOf(ulid(), item);
      records.set(other.id, other);
      return Promise.resolve({ kind: 'accepted', record: other });
    });
    let advance = await step(id);
    for (let rounds = 0; rounds < 3 && !advance.isOver; rounds += 1) {
      advance = await step(id, { mode: 'cancel' });
    }
    expect(advance.isOver).toBe(true);
    expect((await read(id)).counts).toEqual({ ...NO_TOTALS.counts, cancelled: 250 });
    expect(cancelItem).toHaveBeenCalledTimes(BATCH_WINDOW - 1);
  });

  it('does not cancel a job for which others wait, but counts how it ends', async () => {
    const id = await aBatch(2, { status: 'cancelling' });
    await step(id);
    const [shared] = records.keys();
    noteInterest.mockImplementation((recordId, interest) => Promise.resolve(recordId === shared ? 'shared' : interest));
    expect(await step(id, { mode: 'cancel' })).toMatchObject({ running: 1, isOver: false });
    expect(cancelItem).toHaveBeenCalledTimes(1);
    endAll();
    expect(await step(id, { mode: 'cancel' })).toMatchObject({ isOver: true });
    expect(await read(id)).toMatchObject({ counts: { ...NO_TOTALS.counts, success: 1, cancelled: 1 }, spent: 5 });
  });
});
