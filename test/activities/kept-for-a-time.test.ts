import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createRetentionActivities } from '../../activities/retention.ts';
import { newBatch } from '../../contract/batches/batch-state.ts';
import type { DownloadRecord, JobOutcome } from '../../contract/download-record.ts';
import { speakerNamesOf, speakerNamesPiece } from '../../contract/kinds/speaker-names.ts';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import { createBatchStore } from '../../store/records/batch-store.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { createExpiredDocuments, type KeptKind } from '../../store/records/expired-documents.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createWebhookSubscriptionStore } from '../../store/records/webhook-subscriptions.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { isReusable } from '../../store/records/is-reusable.ts';
import { createSnapshotStore } from '../../store/records/snapshot-store.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';

const DAY_MS = 24 * 3_600_000;
const KEEP = { contents: 30, deliveries: 40, snapshots: 50, failed: 60, batches: 70 };
const noFiles = {} as FileStore;

let mongo: Mongo;
let stores: ReturnType<typeof createStores>;
const createStores = () => ({
  records: createRecordStore(mongo.db),
  contents: createContentsStore(mongo.db),
  deliveries: createDeliveryStore(mongo.db),
  snapshots: createSnapshotStore(mongo.db),
  webhookSubscriptions: createWebhookSubscriptionStore(mongo.db),
});
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `kept-${randomUUID().slice(0, 8)}`, timeoutMs: 10_000 });
  stores = createStores();
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** A job with something of all that is kept beside the files. */
async function aJob(outcome?: JobOutcome): Promise<DownloadRecord> {
  const record = await keepJob(stores.records, anAudioJob(), outcome);
  const { id: recordId } = record;
  await stores.contents.putFacts(recordId, { title: 'A title' });
  await stores.contents.putPiece({ recordId, name: 'posts', number: 1 }, [{ id: 1 }]);
  await stores.contents.putPiece(speakerNamesPiece(recordId), [{ 'Speaker 1': 'Anna' }]);
  const url = 'https://receiver.example/';
  await stores.deliveries.open({
    id: deliveryIdOf(recordId, 1),
    recordId,
    url,
    endpoint: 'audio',
    createdAt: record.createdAt,
  });
  if (outcome !== undefined) {
    const attempt = { number: 1, startedAt: record.createdAt, durationMs: 5, statusCode: 200 };
    await stores.deliveries.recordAttempt(deliveryIdOf(recordId, 1), attempt, { state: 'delivered', firstAttempt: 1 });
  }
  const claim = await stores.snapshots.claim({ recordId, part: 'posts' }, Date.now());
  if (claim.state === 'mine')
    await stores.snapshots.started({ recordId, part: 'posts' }, claim.claimId, `s_${recordId}`);
  await stores.webhookSubscriptions.markKnown(recordId, { caller: 'anonymous', url });
  return record;
}

/** Sweeps as it will be after some days. @returns how many documents were removed */
async function sweep(
  kind: KeptKind,
  days: number,
  order: { days?: number; confirmedBy?: string } = {},
  keepDays: object = KEEP,
) {
  const activities = createRetentionActivities({
    ...{ records: stores.records, files: noFiles, workFolders: createWorkFolders('/nowhere'), keepDays },
    ...{ isOpen: () => Promise.resolve(true), now: () => Date.now() + days * DAY_MS, retentionDays: undefined },
    expiredDocuments: createExpiredDocuments(mongo.db),
  });
  const env = new MockActivityEnvironment();
  let removed = 0;
  for (let after: string | undefined; ;) {
    const page: { removed: number; next?: string } = await env.run(activities.sweepKept, {
      kind,
      days: KEEP[kind],
      ...order,
      ...(after !== undefined && { after }),
    });
    removed += page.removed;
    if (page.next === undefined) return removed;
    after = page.next;
  }
}
const count = async (name: string, recordId: string): Promise<number> =>
  mongo.db.collection(name).countDocuments({ _id: { $regex: recordId } as never });

it('each kind goes when its time is over, of jobs that have ended, and the records of successes stay', async () => {
  const success = await aJob({ status: 'success', result: { files: [] } });
  const failed = await aJob({ status: 'failed', failure: { code: 'private', message: 'Private.' } });
  const running = await aJob();
  const all = [success, failed, running].map(({ id }) => id);
  const left = async (name: string): Promise<readonly number[]> => Promise.all(all.map((id) => count(name, id)));

  for (const kind of ['contents', 'deliveries', 'snapshots', 'failed'] as const) {
    expect(await sweep(kind, KEEP[kind] - 1), kind).toBe(0);
  }
  expect(await sweep('contents', 31)).toBe(6);
  expect(await left('contents')).toEqual([0, 0, 3]);
  expect(await speakerNamesOf(stores.contents, success.id)).toBeUndefined();
  const told = (await stores.records.get(success.id))!;
  expect(told).toEqual({ ...success, contentsRemovedAt: expect.any(String) as string });
  expect(await isReusable(told, noFiles)).toBe(false);

  // With the receivers, which hold the same URLs.
  expect(await sweep('deliveries', 41)).toBe(4);
  expect(await left('deliveries')).toEqual([0, 0, 1]);
  expect(await left('receivers')).toEqual([0, 0, 1]);
  expect(await sweep('snapshots', 51)).toBe(2);
  expect(await left('snapshots')).toEqual([0, 0, 1]);
  expect(await left('snapshot_holders')).toEqual([0, 0, 1]);

  await stores.contents.putFacts(failed.id, { title: 'Written since' });
  expect(await sweep('failed', 61)).toBe(1);
  for (const name of ['records', 'contents', 'receivers', 'deliveries', 'snapshots']) {
    expect(await count(name, failed.id), name).toBe(0);
  }
  expect(await left('records')).toEqual([1, 0, 1]);
  expect(await stores.records.failureOf(failed.subjectId)).toBeUndefined();
});

it('an order that nobody has confirmed removes nothing that this worker keeps', async () => {
  const { id } = await aJob({ status: 'success', result: { files: [] } });
  expect(await sweep('contents', 20, { days: 2 })).toBe(0);
  expect(await sweep('contents', 400, {}, {})).toBe(0);
  expect(await count('contents', id)).toBe(3);
  expect(await sweep('contents', 20, { days: 2, confirmedBy: 'the operator' }, {})).toBeGreaterThan(0);
  expect(await count('contents', id)).toBe(0);
});

it('ended batches go with their items when their time is over', async () => {
  const batches = createBatchStore(mongo.db);
  const batch = { startedBy: 'anonymous', createdAt: '2026-11-21T09:30:00.123456Z', items: 1, piecePrices: [5] };
  const [ended, again] = await Promise.all(
    [true, false].map(async (isEnded): Promise<string> => {
      const id = ulid();
      await batches.putPiece({ batchId: id, number: 1 }, []);
      const end = isEnded ? { status: 'finished' as const, finishedAt: new Date().toISOString() } : {};
      await batches.create(newBatch({ id, ...batch, updatedAtMs: 0, ...end }));
      return id;
    }),
  );
  expect(await sweep('batches', KEEP.batches - 1)).toBe(0);
  expect(await sweep('batches', KEEP.batches + 1)).toBe(1);
  for (const name of ['batches', 'batch_pieces']) {
    expect([await count(name, ended!), await count(name, again!)], name).toEqual([0, 1]);
  }
});
