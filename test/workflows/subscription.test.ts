import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import { createNewEntries } from '../../activities/subscriptions/find-new-entries.ts';
import { createSubscriptionChecks } from '../../activities/subscriptions/subscription-checks.ts';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import type { CollectedProfile, ProfileOrder } from '../../contract/batches/item-order.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { failureFor } from '../../contract/failures.ts';
import { dayOf, type StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { JobError } from '../../runtime/job-error.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createBatchStore, type BatchStore } from '../../store/records/batch-store.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { createSubscriptionStore, type SubscriptionStore } from '../../store/records/subscription-store.ts';
import { checkSubscription } from '../../workflows/subscriptions/check-subscription.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';
import { isLong } from '../helpers/rows.ts';
import { PublishingChannel } from '../helpers/publishing-channel.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';

const { withService } = workflowBench('skipping');
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-05-01T00:00:00Z');
const PRICE = 5;
const ROUNDS = isLong() ? 200 : 40;

let mongo: Mongo;
let subscriptions: SubscriptionStore;
let batches: BatchStore;
let channel: PublishingChannel;
const pauseSchedule = vi.fn().mockResolvedValue(undefined);
const collectProfile = vi.fn<(order: ProfileOrder) => Promise<CollectedProfile>>();
const attemptDelivery = vi.fn<Activities['deliver']['attemptDelivery']>().mockResolvedValue('delivered');
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `subs-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  subscriptions = createSubscriptionStore(mongo.db);
  batches = createBatchStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  pauseSchedule.mockClear();
  attemptDelivery.mockClear();
});

async function aSubscription(more: Partial<StoredSubscription> = {}): Promise<string> {
  const id = ulid();
  const each = { operation: 'requestAudio' } as const;
  const list = { kind: 'channel', path: 'channel/UCx' } as const;
  await subscriptions.create({
    ...{ id, startedBy: 'anonymous', createdAt: new Date(channel.nowMs).toISOString(), since: 'now', price: PRICE },
    source: { url: 'https://www.youtube.com/channel/UCx', list, each, filter: {} as never },
    ...{ everyMinutes: 360, skip: [], notice: 1, waiting: [], started: 0 },
    spent: { day: dayOf(channel.nowMs), amount: 0 },
    ...more,
  });
  return id;
}
const read = async (id: string): Promise<StoredSubscription> => (await subscriptions.get(id))!;

/** The IDs of all entries that batches of the subscription fetch. */
async function fetched(subscriptionId: string): Promise<string[]> {
  const all = await batches.list({ startedBy: undefined, limit: 1000 }, { subscriptionId });
  const ids: string[] = [];
  for (const { id, items } of all.toReversed()) {
    for (let number = 1; number <= Math.ceil(items / BATCH_PIECE_ITEMS); number += 1) {
      const piece = await batches.piece({ batchId: id, number });
      ids.push(...piece.map(({ subjectId }) => subjectId));
    }
  }
  return ids;
}

function withChecks(body: (check: (subscriptionId: string) => Promise<string>) => Promise<void>): Promise<void> {
  const now = (): number => channel.nowMs;
  const checks = createSubscriptionChecks({
    ...{ subscriptions, now, pauseSchedule, routes: routesWith(GENEROUS) },
    keys: { get: () => Promise.resolve(undefined) },
  });
  const { findNewEntries } = createNewEntries({
    ...{ subscriptions, batches, now, listSource: channel.source(), contents: createContentsStore(mongo.db) },
    ...{ workFolders: createWorkFolders('/tmp'), fetchTimeoutMs: 60_000, collectProfile },
    keys: { get: () => Promise.resolve(undefined) },
    planItem: (request) => {
      const { vidnet_video_id: id, url } = request as Readonly<Record<string, unknown>>;
      const subjectId = String(id ?? url);
      return Promise.resolve({ request, subjectId, price: PRICE });
    },
  });
  const over = { running: 0, changed: 1, isOver: true };
  const activities = {
    records: {
      ...checks,
      findNewEntries,
      beginBatch: () => Promise.resolve(undefined),
      advanceBatch: () => Promise.resolve(over),
      setBatchStatus: () => Promise.resolve(),
    },
    fetch: { findNewEntries },
    deliver: { attemptDelivery },
  };
  return withService({ activities }, (client, taskQueue) =>
    body(async (subscriptionId) =>
      (
        await client.workflow.start(checkSubscription, {
          ...{ workflowId: `check/${ulid()}`, taskQueue, args: [{ subscriptionId }] },
        })
      ).result(),
    ),
  );
}

describe('the checks of a subscription', () => {
  it(`fetch everything that a channel publishes in ${String(ROUNDS)} checks, once each, and nothing old`, async () => {
    channel = new PublishingChannel(START_MS, 250);
    const old = new Set(channel.uploads.map(({ id }) => id));
    const id = await aSubscription();
    const wanted: string[] = [];
    const premieres = new Map<string, number>();
    let quiet = 0;
    await withChecks(async (check) => {
      await check(id);
      for (let round = 0; round < ROUNDS; round += 1) {
        channel.pass(6 * HOUR_MS);
        const isQuiet = round % 5 === 4 && premieres.size === 0;
        if (!isQuiet) {
          for (let count = channel.random(4); count > 0; count -= 1) wanted.push(channel.publish());
          const victim = channel.uploads[channel.random(60)]!;
          const change = channel.random(6);
          if (change === 0 && old.has(victim.id)) channel.remove(victim.id);
          if (change === 1) channel.rename(victim.id);
          if (change === 2) channel.pin(channel.uploads.at(-1 - channel.random(100))!.id);
          // What is uploaded again is another video.
          if (change === 3 && old.has(victim.id)) {
            channel.remove(victim.id);
            wanted.push(channel.publish({ title: victim.title }));
          }
          if (change === 4) {
            const endsAtMs = channel.nowMs + (1 + channel.random(30)) * HOUR_MS;
            const premiere = channel.publish({ state: 'upcoming', endsAtMs });
            premieres.set(premiere, endsAtMs);
            wanted.push(premiere);
          }
        }
        const before = channel.requests;
        const result = await check(id);
        if (isQuiet) {
          quiet += 1;
          expect([result, channel.requests - before]).toEqual(['Nothing is new.', 1]);
        }
        if (premieres.size > 0) {
          const done = new Set(await fetched(id));
          for (const [premiere, endsAtMs] of premieres) {
            expect(done.has(premiere)).toBe(endsAtMs <= channel.nowMs);
            if (endsAtMs <= channel.nowMs) premieres.delete(premiere);
          }
        }
      }
      channel.pass(48 * HOUR_MS);
      await check(id);
    });
    expect(quiet).toBeGreaterThan(ROUNDS / 14);
    expect(wanted.length).toBeGreaterThan(ROUNDS);
    const all = await fetched(id);
    expect(all.toSorted()).toEqual(wanted.toSorted());
    expect((await read(id)).started).toBe(wanted.length);
  }, 600_000);

  it.each([
    ['', 0],
    [', and of which one has no address', 1],
  ])('find all that was published since the last one, on several pages%s', async (_what, withoutPage) => {
    channel = new PublishingChannel(START_MS, 30);
    const id = await aSubscription();
    const wanted: string[] = [];
    await withChecks(async (check) => {
      await check(id);
      channel.pass(240 * HOUR_MS);
      for (let count = 0; count < 250; count += 1) wanted.push(channel.publish());
      for (let count = 0; count < withoutPage; count += 1) channel.publish({ hasNoPage: true });
      await check(id);
    });
    expect((await fetched(id)).toSorted()).toEqual(wanted.toSorted());
  });

  it('fetch what was published in the second in which the subscription was created, when a list states whole seconds', async () => {
    channel = new PublishingChannel(START_MS, 10);
    const id = await aSubscription({ createdAt: new Date(START_MS + 900).toISOString() });
    const wanted: string[] = [];
    await withChecks(async (check) => {
      await check(id);
      wanted.push(channel.publish());
      await check(id);
    });
    expect(await fetched(id)).toEqual(wanted);
  });

  it('of a playlist find entries anywhere in it, however old', async () => {
    channel = new PublishingChannel(START_MS, 130);
    const list = { kind: 'playlist', id: 'PLx' } as const;
    const id = await aSubscription();
    await subscriptions.change(id, { source: { ...(await read(id)).source, list } });
    await withChecks(async (check) => {
      await check(id);
      channel.pass(24 * HOUR_MS);
      channel.uploads.push({ id: 'at-the-end', title: 'Old', publishedAtMs: START_MS - 9_000 * HOUR_MS });
      await check(id);
      await check(id);
    });
    expect(await fetched(id)).toEqual(['at-the-end']);
  });

  it('since a day fetch what was published since then', async () => {
    channel = new PublishingChannel(START_MS, 10);
    const id = await aSubscription({ since: dayOf(START_MS - 3.5 * 24 * HOUR_MS) });
    await withChecks(async (check) => {
      await check(id);
      await check(id);
    });
    expect((await fetched(id)).toSorted()).toEqual(['upload-10', 'upload-7', 'upload-8', 'upload-9']);
  });

  it('of all wait for a confirmation, with their number, and send a webhook', async () => {
    channel = new PublishingChannel(START_MS, 250);
    const id = await aSubscription({ since: 'all', webhookUrl: 'https://example.com/hook' });
    await withChecks(async (check) => {
      await check(id);
      expect(await read(id)).toMatchObject({ pause: 'backlog', started: 0 });
      expect((await read(id)).waiting).toHaveLength(250);
      expect(pauseSchedule).toHaveBeenCalledExactlyOnceWith(id, 'backlog');
      expect(await check(id)).toMatch(/is paused/);
      expect(await fetched(id)).toEqual([]);
      await subscriptions.change(id, {}, ['pause']);
      await check(id);
    });
    expect(new Set(await fetched(id)).size).toBe(250);
    expect((await read(id)).waiting).toEqual([]);
    expect(attemptDelivery.mock.calls.map(([{ recordId }]) => recordId)).toContain(id);
  });

  it('start no more on a day than it may cost, and the rest on the next days', async () => {
    channel = new PublishingChannel(START_MS, 5);
    const id = await aSubscription({ maxCostPerDay: 2 * PRICE });
    const counts: number[] = [];
    await withChecks(async (check) => {
      await check(id);
      for (let count = 0; count < 5; count += 1) channel.publish();
      for (let round = 0; round < 6; round += 1) {
        await check(id);
        counts.push((await fetched(id)).length);
        channel.pass(12 * HOUR_MS);
      }
    });
    expect(counts).toEqual([2, 2, 4, 4, 5, 5]);
    expect(new Set(await fetched(id)).size).toBe(5);
  });

  it('leave out what the filter names, also after it was renamed', async () => {
    channel = new PublishingChannel(START_MS, 5);
    const id = await aSubscription();
    const filter = { title_omits: 'tea' } as never;
    await subscriptions.change(id, { source: { ...(await read(id)).source, filter } });
    await withChecks(async (check) => {
      await check(id);
      channel.pass(HOUR_MS);
      const tea = channel.publish({ title: 'About Tea' });
      const other = channel.publish();
      await check(id);
      channel.uploads = channel.uploads.map((one) => (one.id === tea ? { ...one, title: 'About it' } : one));
      await check(id);
      expect(await fetched(id)).toEqual([other]);
    });
  });

  it('pause the subscription after a day of failures, with one webhook, and not before', async () => {
    channel = new PublishingChannel(START_MS, 5);
    const id = await aSubscription({ webhookUrl: 'https://example.com/hook' });
    await withChecks(async (check) => {
      await check(id);
      channel.failure = toApplicationFailure(new JobError(failureFor('subjectRemoved', { subject: 'channel' })));
      for (let round = 0; round < 4; round += 1) {
        await check(id);
        expect(await read(id)).toMatchObject({ failing: { checks: round + 1 } });
        expect(await read(id)).not.toHaveProperty('pause');
        channel.pass(6 * HOUR_MS);
      }
      expect(await check(id)).toBe('The channel was removed or does not exist.');
    });
    expect(await read(id)).toMatchObject({ pause: 'source_failed', notice: 2 });
    expect(pauseSchedule).toHaveBeenCalledExactlyOnceWith(id, 'source_failed');
  });

  describe('of a profile', () => {
    const CHECK = 30;
    /** A post or reel, as a list has it. */
    const itemOf = (type: 'post' | 'reel', shortcode: string, hours: number) => ({
      ...{ type, shortcode, url: `https://www.instagram.com/p/${shortcode}/`, description: `About ${shortcode}` },
      ...{ date_posted: new Date(START_MS + hours * HOUR_MS).toISOString(), videos_duration: null },
    });
    /** Each check finds the items that are published by then, when it is called again. */
    async function aProfile(
      posts: readonly object[],
      reels: readonly object[],
      more: Partial<StoredSubscription> = {},
    ) {
      channel = new PublishingChannel(START_MS, 0);
      const contents = createContentsStore(mongo.db);
      const started = new Set<string>();
      const recordOf = async (
        type: 'imgnet_list_posts' | 'imgnet_list_reels',
        items: readonly object[] | undefined,
      ) => {
        const [id, name] = [ulid(), type === 'imgnet_list_posts' ? 'posts' : 'reels'];
        const record = { id, type, subjectId: `${type}/talks/all`, mediaId: 'talks', createdAt: '', price: 10 };
        const lists = items && { [name]: await contents.putList({ recordId: id, name }, items) };
        const end = { status: 'success', finishedAt: '', charge: 10, files: [], lists };
        return { ...record, startedBy: 'anonymous', ...(items ? end : { status: 'pending' }) } as DownloadRecord;
      };
      collectProfile.mockReset().mockImplementation(async ({ seed, money }) => {
        const isFirst = !started.has(seed);
        if (isFirst && money < CHECK) return { cost: 0, jobs: failureFor('listTooDear', { price: '0.030' }) };
        started.add(seed);
        const isKnown = (one: object): boolean =>
          Date.parse((one as { date_posted: string }).date_posted) <= channel.nowMs;
        const found = async (type: 'imgnet_list_posts' | 'imgnet_list_reels', items: readonly object[]) =>
          recordOf(type, isFirst ? undefined : items.filter(isKnown));
        return {
          cost: CHECK,
          jobs: [await found('imgnet_list_posts', posts), await found('imgnet_list_reels', reels)],
        };
      });
      const id = await aSubscription({ checkPrice: 20, ...more });
      const source = { ...(await read(id)).source, list: { kind: 'profile', account: 'talks' } as const };
      await subscriptions.change(id, { source: { ...source, each: { operation: 'requestImgnetAudio' } } });
      return id;
    }
    const urlOf = (code: string): string => `https://www.instagram.com/p/${code}/`;

    it('wait for its list, fetch what was published since, and count the list once in each check', async () => {
      const posts = [itemOf('post', 'old', -5), itemOf('post', 'both', 3), itemOf('post', 'late', 30)];
      const reels = [itemOf('reel', 'both', 3)];
      const id = await aProfile(posts, reels);
      await withChecks(async (check) => {
        expect(await check(id)).toBe('Nothing is new.');
        expect(await read(id)).toMatchObject({ spent: { amount: CHECK }, listRun: { cost: CHECK }, started: 0 });
        expect(collectProfile).toHaveBeenCalledTimes(2);
        channel.pass(6 * HOUR_MS);
        await check(id);
        expect(await read(id)).toMatchObject({ spent: { amount: 2 * CHECK + PRICE }, started: 1 });
        channel.pass(48 * HOUR_MS);
        await check(id);
        expect(await read(id)).toMatchObject({ spent: { amount: CHECK + PRICE }, started: 2 });
      });
      expect(await fetched(id)).toEqual([urlOf('both'), urlOf('late')]);
    });

    it('stay within the money of a day, and go on the next day', async () => {
      const id = await aProfile([itemOf('post', 'one', 1), itemOf('post', 'two', 2)], [], {
        maxCostPerDay: 2 * CHECK + PRICE,
      });
      await withChecks(async (check) => {
        await check(id);
        channel.pass(6 * HOUR_MS);
        await check(id);
        // One of two posts has money, and the next check has none.
        expect(await read(id)).toMatchObject({
          started: 1,
          waiting: [{ id: 'one' }],
          spent: { amount: 2 * CHECK + PRICE },
        });
        expect(await check(id)).toMatch(/The list of the profile costs 0\.030/);
        expect(await read(id)).toMatchObject({ failing: { checks: 1 } });
        expect(await read(id)).not.toHaveProperty('pause');
        channel.pass(24 * HOUR_MS);
        await check(id);
      });
      expect((await fetched(id)).toSorted()).toEqual([urlOf('one'), urlOf('two')]);
    });

    it('fail if a wanted part of its list has failed', async () => {
      const id = await aProfile([], []);
      const failed = {
        id: ulid(),
        type: 'imgnet_list_reels',
        status: 'failed',
        failure: failureFor('accountIsPrivate'),
      };
      collectProfile.mockResolvedValue({ cost: 10, jobs: [failed as DownloadRecord] });
      await withChecks(async (check) => {
        expect(await check(id)).toBe('The account is private.');
        const { source, spent } = await read(id);
        expect(spent.amount).toBe(10);
        await subscriptions.change(id, { source: { ...source, filter: { kinds: ['post'] } as never } });
        expect(await check(id)).toBe('Nothing is new.');
      });
    });
  });

  it('of a subscription that was deleted do nothing', async () => {
    channel = new PublishingChannel(START_MS, 5);
    await withChecks(async (check) => {
      expect(await check(ulid())).toMatch(/does not exist/);
    });
    expect(channel.requests).toBe(0);
  });
});
