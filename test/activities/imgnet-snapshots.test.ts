import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { PostItem } from '../../contract/kinds/imgnet-media.ts';
import type { ImgnetProfileFields } from '../../contract/kinds/imgnet-profile.ts';
import { createListActivity, type ListOrder } from '../../activities/imgnet-list.ts';
import { createProfileActivity } from '../../activities/imgnet-profile.ts';
import {
  createSnapshotActivities,
  createSnapshotSteps,
  type SnapshotOrder,
} from '../../activities/imgnet-snapshots.ts';
import { JobError } from '../../runtime/job-error.ts';
import { SnapshotLostError, SnapshotNotReadyError, UncertainTriggerError } from '../../sources/imgnet/imgnet-source.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { createSnapshotStore } from '../../store/records/snapshot-store.ts';
import { fakeImgnetSource, pagesOfRecords } from '../helpers/imgnet-source.ts';
import { keepJob, aListJob } from '../helpers/jobs.ts';

let mongo: Mongo;
let records: RecordStore;
let parts: ReturnType<typeof build>;
const imgnet = fakeImgnetSource();

function build() {
  const contents = createContentsStore(mongo.db);
  const snapshots = createSnapshotStore(mongo.db);
  const deps = { imgnet, snapshots, records, contents, fetchTimeoutMs: 5_000, stopping: new AbortController().signal };
  return {
    contents,
    snapshots,
    ...createSnapshotSteps(deps),
    ...createSnapshotActivities(deps),
    ...createListActivity(deps),
    ...createProfileActivity(deps),
  };
}

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `snap-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  parts = build();
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  const { trigger, startedSince, isOf, progress, rows } = imgnet;
  for (const mock of [trigger, startedSince, isOf, progress, rows]) mock.mockReset();
});

/** Of a job that runs. */
async function anOrder(): Promise<SnapshotOrder> {
  const { id: recordId } = await keepJob(records, aListJob());
  return { recordId, part: 'posts', request: { kind: 'posts', account: 'tea' } };
}
const within = <Input, Result>(
  activity: (input: Input) => Promise<Result>,
  input: Input,
  attempt = 1,
): Promise<Result> =>
  new MockActivityEnvironment({ attempt }, { logger: new DefaultLogger('ERROR') }).run(activity, input);
const failureOf = (call: Promise<unknown>): Promise<ApplicationFailure> =>
  call.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ApplicationFailure);
      return error as ApplicationFailure;
    },
  );

describe('the trigger of a snapshot', () => {
  it('is sent once, even if the activity is repeated', async () => {
    imgnet.trigger.mockResolvedValue({ snapshotId: 's_1' });
    const order = await anOrder();
    const started = await within(parts.triggerSnapshot, order);
    expect(await within(parts.triggerSnapshot, order, 2)).toEqual(started);
    expect(started).toEqual({ recordId: order.recordId, part: 'posts', snapshotId: 's_1' });
    expect(imgnet.trigger).toHaveBeenCalledTimes(1);
  });

  it('waits for an attempt that may still run, and sends nothing meanwhile', async () => {
    const order = await anOrder();
    const claim = await parts.snapshots.claim(order, Date.now());
    const failure = await failureOf(within(parts.triggerSnapshot, order, 2));
    expect(failure.nonRetryable).toBe(false);
    await parts.snapshots.started(order, claim.state === 'mine' ? claim.claimId : '', 's_2');
    expect(await within(parts.triggerSnapshot, order, 3)).toMatchObject({ snapshotId: 's_2' });
    expect(imgnet.trigger).not.toHaveBeenCalled();
    expect(imgnet.startedSince).not.toHaveBeenCalled();
  });

  it('is not repeated when the provider does not know whether it arrived', async () => {
    imgnet.startedSince.mockRejectedValue(new JobError({ code: 'tool_missing', message: 'The token is refused.' }));
    const order = await anOrder();
    await parts.snapshots.claim(order, Date.now() - 10 * 60_000);
    const failure = await failureOf(within(parts.triggerSnapshot, order, 2));
    expect(failure).toMatchObject({ nonRetryable: true, type: 'internal', details: ['internal'] });
    expect(imgnet.trigger).not.toHaveBeenCalled();
  });

  it('is not repeated when its answer is lost', async () => {
    imgnet.trigger.mockRejectedValue(new UncertainTriggerError(new Error('hang')));
    const order = await anOrder();
    expect((await failureOf(within(parts.triggerSnapshot, order))).details).toEqual(['internal']);
    expect(await parts.snapshots.claim(order, Date.now())).toMatchObject({ state: 'theirs' });
  });

  it('is sent again after a refusal', async () => {
    imgnet.trigger.mockRejectedValueOnce(
      new JobError({ code: 'rate_limited', message: 'Slow down.' }, { retryAtMs: 5 }),
    );
    imgnet.trigger.mockResolvedValue({ snapshotId: 's_3' });
    const order = await anOrder();
    const failure = await failureOf(within(parts.triggerSnapshot, order));
    expect(failure).toMatchObject({ type: 'upstream', details: ['rate_limited', 5] });
    expect(await within(parts.triggerSnapshot, order)).toMatchObject({ snapshotId: 's_3' });
  });

  it('is remembered when the database is unavailable as its answer arrives', async () => {
    imgnet.trigger.mockResolvedValue({ snapshotId: 's_4' });
    const order = await anOrder();
    const started = vi.spyOn(parts.snapshots, 'started').mockRejectedValueOnce(new Error('database is away'));
    expect(await within(parts.triggerSnapshot, order)).toMatchObject({ snapshotId: 's_4' });
    expect(started).toHaveBeenCalledTimes(2);
    expect(imgnet.trigger).toHaveBeenCalledTimes(1);
  });
});

describe('waiting for a snapshot', () => {
  const snapshot = { recordId: 'r', part: 'posts', snapshotId: 's_1' };

  it('polls once per attempt, at increasing intervals', async () => {
    imgnet.progress.mockResolvedValue('running');
    const delays: unknown[] = [];
    for (const attempt of [1, 2, 3, 4, 5, 6, 100]) {
      const failure = await failureOf(within(parts.awaitSnapshot, snapshot, attempt));
      expect(failure).toMatchObject({ nonRetryable: false, category: 'BENIGN', details: ['upstream_timeout'] });
      delays.push(failure.nextRetryDelay);
    }
    expect(delays).toEqual([2_000, 3_000, 5_000, 10_000, 15_000, 30_000, 30_000]);
    expect(imgnet.progress).toHaveBeenCalledTimes(7);
  });

  it.each(['rate_limited', 'upstream_error', 'upstream_timeout'] as const)(
    'polls again after the failure %s',
    async (code) => {
      imgnet.progress.mockRejectedValue(
        new JobError({ code, message: 'Not now.' }, { retryAtMs: Date.now() + 60_000 }),
      );
      const failure = await failureOf(within(parts.awaitSnapshot, snapshot));
      expect(failure).toMatchObject({ nonRetryable: false, details: [code] });
      expect(Number(failure.nextRetryDelay)).toBeGreaterThan(55_000);
    },
  );

  it('ends at once when the token is refused', async () => {
    imgnet.progress.mockRejectedValue(new JobError({ code: 'tool_missing', message: 'The token is refused.' }));
    expect(await failureOf(within(parts.awaitSnapshot, snapshot))).toMatchObject({
      nonRetryable: true,
      details: ['tool_missing'],
    });
  });

  it('allows another trigger when the snapshot failed', async () => {
    imgnet.trigger.mockResolvedValueOnce({ snapshotId: 's_5' }).mockResolvedValueOnce({ snapshotId: 's_6' });
    imgnet.progress.mockResolvedValue({ failed: new JobError({ code: 'upstream_error', message: 'It crashed.' }) });
    const order = await anOrder();
    const started = await within(parts.triggerSnapshot, order);
    expect(await failureOf(within(parts.awaitSnapshot, started))).toMatchObject({ details: ['upstream_error'] });
    expect(await within(parts.triggerSnapshot, order)).toMatchObject({ snapshotId: 's_6' });
  });

  it.each([
    ['ready', false],
    ['empty', true],
  ] as const)('returns the progress %s', async (progress, isEmpty) => {
    imgnet.progress.mockResolvedValue(progress);
    expect(await within(parts.awaitSnapshot, snapshot)).toEqual({ ...snapshot, isEmpty });
  });
});

describe('reading a list', () => {
  const anOrderOf = (order: Partial<ListOrder> = {}): ListOrder => ({
    ...{ part: 'posts', account: 'tea' },
    snapshot: { recordId: ulid(), part: 'posts', snapshotId: 's_1', isEmpty: false },
    ...order,
  });
  const post = (shortcode: string, fields: Record<string, unknown> = {}) => ({
    url: `https://www.instagram.com/p/${shortcode}/`,
    shortcode,
    ...fields,
  });
  async function codesOf(order: ListOrder, pieces: number): Promise<string[]> {
    const codes: string[] = [];
    const list = { recordId: order.snapshot.recordId, name: order.part, pieces };
    for await (const page of parts.contents.list<PostItem>(list).pages())
      codes.push(...page.map(({ shortcode }) => shortcode));
    return codes;
  }

  it('stores the items in pieces, also when it is repeated', async () => {
    const order = anOrderOf();
    imgnet.rows.mockImplementation(() => pagesOfRecords(Array.from({ length: 250 }, (_, n) => post(`c${String(n)}`))));
    const result = { lists: { posts: { pieces: 1, items: 250 } } };
    expect(await within(parts.storeList, order)).toEqual(result);
    expect(await within(parts.storeList, order, 2)).toEqual(result);
    expect(await codesOf(order, 1)).toEqual(Array.from({ length: 250 }, (_, n) => `c${String(n)}`));
  });

  it('omits items before the first day, reels in a list of posts, and rows without a post', async () => {
    const order = anOrderOf({ sinceDate: '2026-11-14' });
    imgnet.rows.mockReturnValue(
      pagesOfRecords([
        post('first', { date_posted: '2026-11-14T00:00:00Z' }),
        post('older', { date_posted: '2026-11-13T23:59:59Z' }),
        post('undated'),
        post('reel', { product_type: 'clips', date_posted: '2026-11-20T00:00:00Z' }),
        { likes: 3 },
      ]),
    );
    expect(await within(parts.storeList, order)).toEqual({ lists: { posts: { pieces: 1, items: 2 } } });
    expect(await codesOf(order, 1)).toEqual(['first', 'undated']);
  });

  it.each([0, 1, 7])('includes an item one second within %s days and omits one a second earlier', async (days) => {
    const sinceMs = Date.parse('2026-11-21T09:30:15.250Z') - days * 86_400_000;
    const since = new Date(sinceMs).toISOString();
    const order = anOrderOf({ since, sinceDate: since.slice(0, 10) });
    const at = (seconds: number) => ({ date_posted: new Date(sinceMs + seconds * 1000).toISOString() });
    imgnet.rows.mockReturnValue(
      pagesOfRecords([post('inside', at(1)), post('at', at(0)), post('outside', at(-1)), post('undated')]),
    );
    expect(await within(parts.storeList, order)).toEqual({ lists: { posts: { pieces: 1, items: 3 } } });
    expect(await codesOf(order, 1)).toEqual(['inside', 'at', 'undated']);
  });

  it('stores the owners of the items, from which their price is derived', async () => {
    const codes = [ulid(), ulid()].map((id) => `D${id.slice(-10)}`);
    imgnet.rows.mockReturnValue(pagesOfRecords([post(codes[0]!), post(codes[1]!, { user_posted: 'Two.Cups' })]));
    await within(parts.storeList, anOrderOf());
    const owners = codes.map((code) => records.ownerOf(`imgnet_audio/${code}`));
    expect(await Promise.all(owners)).toEqual(['tea', 'two.cups']);
  });

  it('of an empty account stores no pieces and requests no rows', async () => {
    const order = anOrderOf();
    const empty = { ...order, snapshot: { ...order.snapshot, isEmpty: true } };
    expect(await within(parts.storeList, empty)).toEqual({ lists: { posts: { pieces: 0, items: 0 } } });
    expect(imgnet.rows).not.toHaveBeenCalled();
  });

  it('is retried later when the snapshot is not ready', async () => {
    imgnet.rows.mockImplementation(() => {
      throw new SnapshotNotReadyError(Date.now() + 20_000);
    });
    const failure = await failureOf(within(parts.storeList, anOrderOf()));
    expect(failure.nonRetryable).toBe(false);
    expect(Number(failure.nextRetryDelay)).toBeGreaterThan(15_000);
  });

  it('allows another trigger when the snapshot is lost', async () => {
    imgnet.trigger.mockResolvedValueOnce({ snapshotId: 's_1' }).mockResolvedValueOnce({ snapshotId: 's_9' });
    imgnet.rows.mockImplementation(() => {
      throw new SnapshotLostError({ code: 'upstream_error', message: 'It is gone.' });
    });
    const order = await anOrder();
    const started = await within(parts.triggerSnapshot, order);
    const list = anOrderOf({ snapshot: { ...started, isEmpty: false } });
    expect(await failureOf(within(parts.storeList, list))).toMatchObject({ details: ['upstream_error'] });
    expect(await within(parts.triggerSnapshot, order)).toMatchObject({ snapshotId: 's_9' });
  });

  it('reads the same snapshot again when only the reading failed', async () => {
    imgnet.trigger.mockResolvedValue({ snapshotId: 's_1' });
    imgnet.rows.mockImplementation(() => {
      throw new JobError({ code: 'incomplete', message: 'It ended too early.' });
    });
    const order = await anOrder();
    const started = await within(parts.triggerSnapshot, order);
    const list = anOrderOf({ snapshot: { ...started, isEmpty: false } });
    expect(await failureOf(within(parts.storeList, list))).toMatchObject({ details: ['incomplete'] });
    expect(await within(parts.triggerSnapshot, order)).toEqual(started);
    expect(imgnet.trigger).toHaveBeenCalledTimes(1);
  });
});

describe('reading a profile', () => {
  const snapshot = () => ({ recordId: ulid(), part: 'profile', snapshotId: 's_1', isEmpty: false });

  it('stores the facts', async () => {
    const one = snapshot();
    imgnet.rows.mockReturnValue(pagesOfRecords([{ account: 'tea', followers: 12, email_address: null }]));
    expect(await within(parts.storeProfile, { snapshot: one, account: 'tea' })).toEqual({});
    expect(await parts.contents.facts<ImgnetProfileFields>(one.recordId)).toEqual({
      ...{ account: 'tea', followers: 12 },
      profile_url: 'https://www.instagram.com/tea/',
      url: 'https://www.instagram.com/tea/',
    });
  });

  it('stores the owner of each post that it shows', async () => {
    const codes = [ulid(), ulid()].map((id) => `D${id.slice(-10)}`);
    const posts = [{ url: `https://www.instagram.com/p/${codes[0]!}/` }, { shortcode: codes[1] }, { url: 'x' }, null];
    imgnet.rows.mockReturnValue(pagesOfRecords([{ account: 'tea', posts }]));
    await within(parts.storeProfile, { snapshot: snapshot(), account: 'tea' });
    const owners = codes.map((code) => records.ownerOf(`imgnet_audio/${code}`));
    expect(await Promise.all(owners)).toEqual(['tea', 'tea']);
  });

  it('fails as removed for an empty snapshot', async () => {
    imgnet.rows.mockReturnValue(pagesOfRecords([]));
    const failure = await failureOf(within(parts.storeProfile, { snapshot: snapshot(), account: 'tea' }));
    expect(failure).toMatchObject({ type: 'subject', details: ['removed'] });
  });
});
