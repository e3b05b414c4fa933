import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { createSnapshotSteps, type SnapshotOrder } from '../../activities/imgnet-snapshots.ts';
import type { ImgnetSource, SnapshotRequest } from '../../sources/imgnet/imgnet-source.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { createSnapshotStore, type SnapshotStore } from '../../store/records/snapshot-store.ts';
import { sourceAt, startDatasetApi, type TestDatasetApi } from '../helpers/imgnet-source.ts';
import { keepJob, aListJob } from '../helpers/jobs.ts';

// The driver and the stand-in for the provider speak with each other: what a lost answer leaves behind is found there.
const CALL = { signal: new AbortController().signal, timeoutMs: 5_000 };
const MINUTE_MS = 60_000;

let mongo: Mongo;
let records: RecordStore;
let snapshots: SnapshotStore;
let api: TestDatasetApi;
let source: ImgnetSource;
let triggerSnapshot: ReturnType<typeof createSnapshotSteps>['triggerSnapshot'];
let aheadMs = 0;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `lost-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  snapshots = createSnapshotStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  aheadMs = 0;
  api = await startDatasetApi({ now: () => Date.now() + aheadMs });
  source = sourceAt(api.url);
  ({ triggerSnapshot } = createSnapshotSteps({
    imgnet: source,
    snapshots,
    records,
    fetchTimeoutMs: 5_000,
    stopping: new AbortController().signal,
  }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source.close();
  await api.stop();
});

const account = (): string => api.accounts().find((one) => one.case === 'ordinary')!.user_name;
async function anOrder(request: SnapshotRequest = { kind: 'posts', account: account() }): Promise<SnapshotOrder> {
  return { recordId: (await keepJob(records, aListJob())).id, part: 'posts', request };
}
const run = (order: SnapshotOrder): Promise<{ snapshotId: string }> =>
  new MockActivityEnvironment({ attempt: 2 }, { logger: new DefaultLogger('ERROR') }).run(triggerSnapshot, order);
const failureOf = (order: SnapshotOrder): Promise<ApplicationFailure> =>
  run(order).then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ApplicationFailure);
      return error as ApplicationFailure;
    },
  );
/** An attempt has sent the request, and its worker died. @returns its claim */
async function deadAttempt(order: SnapshotOrder, ageMs: number): Promise<string> {
  const claim = await snapshots.claim(order, Date.now() - ageMs);
  if (claim.state !== 'mine') throw new Error(`the claim is ${claim.state}`);
  return claim.claimId;
}
const begun = async (request: SnapshotRequest): Promise<string> => (await source.trigger(request, CALL)).snapshotId;
const spoil = (mode: string, more: object = {}): void =>
  expect(api.misbehave({ target: 'dataset', mode, ...more }).status).toBe(200);
const TOLD_LATER = { nonRetryable: false, type: 'later', details: ['internal'] };
const CANNOT_TELL = {
  ...{ nonRetryable: true, type: 'internal', details: ['internal'] },
  message: expect.stringMatching(/^The dataset API did not say whether it started/),
};

it('a snapshot whose answer was lost is taken over by the next attempt', async () => {
  spoil('unanswered');
  const order = await anOrder();
  expect(await failureOf(order)).toMatchObject(TOLD_LATER);
  const { snapshotId } = await run(order);
  expect(await source.progress(snapshotId, CALL)).toBe('ready');
  expect(await run(order)).toMatchObject({ snapshotId });
  expect(api.stats()).toMatchObject({ triggers: { posts: 1 }, snapshots: 1, lists: 1 });
});

it.each<[string, (name: string) => SnapshotRequest]>([
  ['a profile', (name) => ({ kind: 'profile', account: name })],
  ['the reels of an account', (name) => ({ kind: 'reels', account: name })],
  ['posts since a day', (name) => ({ kind: 'posts', account: name, sinceDate: '2026-11-01' })],
  ['a post', () => ({ kind: 'post', shortcode: 'AbC_1-x' })],
  ['a reel', () => ({ kind: 'reel', shortcode: 'AbC_1-x' })],
])('a snapshot that a worker began before it died is taken over: %s', async (_what, requestOf) => {
  const order = await anOrder(requestOf(account()));
  await deadAttempt(order, 2 * MINUTE_MS);
  const snapshotId = await begun(order.request);
  expect(await run(order)).toMatchObject({ snapshotId });
  expect(api.stats()).toMatchObject({ snapshots: 1 });
});

it('jobs that lost the same answer in the same second have a snapshot each', async () => {
  spoil('unanswered');
  const orders = [await anOrder(), await anOrder(), await anOrder()];
  await Promise.all(orders.map(failureOf));
  const taken = await Promise.all(orders.map(run));
  expect(new Set(taken.map(({ snapshotId }) => snapshotId)).size).toBe(3);
  expect(api.stats()).toMatchObject({ triggers: { posts: 3 }, snapshots: 3 });
});

it('a snapshot is not taken over that another job has, or that is of something else', async () => {
  const [owner, order] = [await anOrder(), await anOrder()];
  await run(owner);
  const name = account();
  await begun({ kind: 'posts', account: name, sinceDate: '2026-11-01' });
  await begun({ kind: 'posts', account: api.accounts().find((one) => one.case === 'business')!.user_name });
  await begun({ kind: 'reels', account: name });
  await begun({ kind: 'profile', account: name });
  await deadAttempt(order, 5 * MINUTE_MS);
  expect(await failureOf(order)).toMatchObject({ details: ['upstream_error'] });
});

it('a snapshot that was begun long before the request is not taken over', async () => {
  const order = await anOrder();
  await begun(order.request);
  await snapshots.claim(order, Date.now() + 10 * MINUTE_MS);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 20 * MINUTE_MS);
  expect(await failureOf(order)).toMatchObject({ details: ['upstream_error'] });
});

it('a list that lags is asked again, and nothing is sent beside it', async () => {
  spoil('unlisted', { seconds: 30 });
  spoil('unanswered');
  const order = await anOrder();
  for (let times = 0; times < 3; times += 1) expect(await failureOf(order)).toMatchObject(TOLD_LATER);
  aheadMs = 31_000;
  await run(order);
  expect(api.stats()).toMatchObject({ triggers: { posts: 1 }, snapshots: 1 });
});

it.each([
  ['500', {}],
  ['429', { retry_after_seconds: 30 }],
])('a list that fails for now (%s) is asked again', async (mode, more) => {
  spoil('unanswered');
  const order = await anOrder();
  await failureOf(order);
  spoil(mode, { step: 'list', times: 1, ...more });
  const failure = await failureOf(order);
  expect(failure).toMatchObject(TOLD_LATER);
  expect(Number(failure.nextRetryDelay)).toBeGreaterThan(mode === '429' ? 25_000 : 0);
  await run(order);
  expect(api.stats()).toMatchObject({ triggers: { posts: 1 }, snapshots: 1 });
});

it('where the provider cannot tell, the job fails rather than pay twice', async () => {
  const order = await anOrder();
  await deadAttempt(order, 20 * MINUTE_MS);
  spoil('500', { step: 'list' });
  expect(await failureOf(order)).toMatchObject(CANNOT_TELL);
  const locked = sourceAt(api.url, { token: 'refused' });
  ({ triggerSnapshot } = createSnapshotSteps({
    imgnet: locked,
    snapshots,
    records,
    fetchTimeoutMs: 5_000,
    stopping: new AbortController().signal,
  }));
  const refused = await anOrder();
  await deadAttempt(refused, 2 * MINUTE_MS);
  expect(await failureOf(refused)).toMatchObject(CANNOT_TELL);
  await locked.close();
  expect(api.stats()).toMatchObject({ snapshots: 0 });
});

it('a request that began nothing may be sent again, and is not charged meanwhile', async () => {
  const order = await anOrder();
  await deadAttempt(order, 2 * MINUTE_MS);
  expect(await failureOf(order)).toMatchObject(TOLD_LATER);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + MINUTE_MS);
  expect(await failureOf(order)).toMatchObject({ nonRetryable: true, type: 'upstream', details: ['upstream_error'] });
  expect((await records.get(order.recordId))?.providerCalls?.[order.part] ?? false).toBe(false);
  await run(order);
  expect(api.stats()).toMatchObject({ triggers: { posts: 1 }, snapshots: 1 });
});

it('a worker that dies while it takes a snapshot over leaves it to the next attempt of the same job', async () => {
  const [order, other] = [await anOrder(), await anOrder()];
  const claimId = await deadAttempt(order, 2 * MINUTE_MS);
  await deadAttempt(other, 5 * MINUTE_MS);
  const snapshotId = await begun(order.request);
  await mongo.db
    .collection<{ _id: string; claimId: string }>('snapshot_holders')
    .insertOne({ _id: snapshotId, claimId });
  expect(await failureOf(other)).toMatchObject({ details: ['upstream_error'] });
  expect(await run(order)).toMatchObject({ snapshotId });
});
