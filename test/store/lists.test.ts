import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import { createListStore, type ListStore } from '../../store/records/list-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { keepJob } from '../helpers/jobs.ts';

let mongo: Mongo;
let records: RecordStore;
let lists: ListStore;
let nowMs = 1_000;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `lists-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  lists = createListStore(mongo.db, { records, now: () => nowMs });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const failure = { status: 'failed', failure: { code: 'removed', message: 'It is gone.' } } as const;
let accounts = 0;
/** The two jobs of a list, as the api plans them. */
function twoJobs(): { readonly posts: JobInput; readonly reels: JobInput } {
  const mediaId = `tea${String((accounts += 1))}`;
  const jobOf = (part: 'posts' | 'reels') => ({
    ...{
      version: 1,
      startedBy: 'anonymous',
      recordId: ulid(),
      mediaId,
      type: `imgnet_list_${part}` as const,
      price: 5,
    },
    ...{ subjectId: `imgnet_list_${part}/${mediaId}/all`, createdAt: '2026-11-21T09:30:00.123456Z' },
  });
  const [posts, reels] = [jobOf('posts'), jobOf('reels')];
  return {
    posts: { ...posts, parameters: { part: 'posts', otherId: reels.recordId } },
    reels: { ...reels, parameters: { part: 'reels', otherId: posts.recordId } },
  };
}

describe('the other part of a list', () => {
  it('is the planned job, even after a newer one has started', async () => {
    const { posts, reels } = twoJobs();
    const first = await keepJob(records, posts);
    const planned = await keepJob(records, reels, { status: 'success', result: {} });
    await keepJob(records, { ...reels, recordId: ulid() });
    expect(await lists.otherPart(first)).toEqual(planned);
    expect(await lists.otherPart(planned)).toEqual(first);
  });

  it('is the newest job when the planned one failed or another process started one earlier', async () => {
    const { posts, reels } = twoJobs();
    const first = await keepJob(records, posts);
    const earlier = await keepJob(records, { ...reels, recordId: ulid() });
    expect(await lists.otherPart(first)).toEqual(earlier);
    await keepJob(records, reels, failure);
    const again = await keepJob(records, { ...reels, recordId: ulid() });
    expect(await lists.otherPart(first)).toEqual(again);
  });

  it('is pending with the planned ID before it has started', async () => {
    const { posts, reels } = twoJobs();
    const { parameters: _none, ...planned } = pendingRecordOf(reels);
    expect(await lists.otherPart(await keepJob(records, posts))).toEqual(planned);
  });

  it('is the newest job of its subject when none was planned', async () => {
    const { posts, reels } = twoJobs();
    const first = await keepJob(records, { ...posts, parameters: { part: 'posts' } });
    const other = await keepJob(records, reels, failure);
    expect(await lists.otherPart(first)).toEqual(other);
  });
});

describe('a requested list', () => {
  it('is stored once when several processes request it at the same time', async () => {
    const name = { listId: ulid(), days: 7 };
    expect(await lists.get(name)).toBeUndefined();
    const begun = await Promise.all(
      [1, 2, 3, 4, 5].map((requestedAtMs) =>
        lists.begin(name, { requestedAtMs, since: String(requestedAtMs) }, undefined),
      ),
    );
    const standing = await lists.get(name);
    expect(begun).toEqual(Array(5).fill(standing));
    const next = [11, 12, 13].map((requestedAtMs) => ({ requestedAtMs, since: 'later' }));
    const again = await Promise.all(next.map((list) => lists.begin(name, list, standing)));
    expect(again).toEqual(Array(3).fill(await lists.get(name)));
    expect(await lists.get({ ...name, days: undefined })).toBeUndefined();
  });
});

it('the list store returns when a response last contained a list_id', async () => {
  const listId = ulid();
  expect(await lists.handedOutAtMs(listId)).toBeUndefined();
  for (nowMs of [2_000, 3_000]) {
    await lists.handOut(listId);
    expect(await lists.handedOutAtMs(listId)).toBe(nowMs);
  }
});
