import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createContentActivity, type StoredContent } from '../../activities/imgnet-content.ts';
import type { PostReference } from '../../contract/urls/imgnet-urls.ts';
import type { SuccessRecord } from '../../contract/download-record.ts';
import {
  renderImgnetContentResult,
  imgnetContentResultSchema,
  imgnetPostSchema,
  imgnetReelSchema,
  type ImgnetContentResult,
} from '../../contract/kinds/imgnet-content.ts';
import { postSubjectOf } from '../../contract/kinds/subjects.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { createSnapshotStore } from '../../store/records/snapshot-store.ts';
import { fakeImgnetSource, pagesOfRecords } from '../helpers/imgnet-source.ts';

let mongo: Mongo;
let contents: ContentsStore;
const imgnet = fakeImgnetSource();
const PLATFORM = 'https://www.instagram.com';
const SHORTCODE = 'DAbCdEfGhIj';

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `post-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  contents = createContentsStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** Stores what a snapshot holds, as a job does. @returns what the job goes on with, and the answer for callers */
async function stored(
  kind: PostReference['kind'],
  records: readonly Record<string, unknown>[],
): Promise<{ result: object; answer: ImgnetContentResult }> {
  const post = { kind, shortcode: SHORTCODE };
  const recordId = ulid();
  const { storeContent } = createContentActivity({
    ...{ imgnet, contents, snapshots: createSnapshotStore(mongo.db), fetchTimeoutMs: 5_000 },
    records: createRecordStore(mongo.db),
  });
  imgnet.rows.mockReturnValue(pagesOfRecords(records));
  const snapshot = { recordId, part: 'content', snapshotId: 's_1', isEmpty: false };
  const environment = new MockActivityEnvironment();
  const order = { snapshot, post };
  const result = await environment.run<[typeof order], StoredContent, typeof storeContent>(storeContent, order);
  const record: SuccessRecord = {
    ...{ id: recordId, type: 'imgnet_post', subjectId: postSubjectOf(post), mediaId: SHORTCODE, price: 15 },
    ...{ createdAt: '2026-11-21T09:30:00.123456Z', finishedAt: '2026-11-21T09:30:10.123456Z' },
    ...{ status: 'success', charge: 5, files: [], startedBy: 'anonymous' },
  };
  const answer = await renderImgnetContentResult(record, { contents });
  // What the schema does not know would be stripped.
  expect(imgnetContentResultSchema.parse(answer)).toEqual(answer);
  return { result, answer };
}

const LISTS = [
  ...['photos', 'videos', 'images', 'audio', 'hashtags', 'latest_comments', 'tagged_users', 'coauthor_producers'],
  ...['partnership_details', 'post_content'],
];
function nothingOf({ shape }: { readonly shape: object }): Record<string, unknown> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, LISTS.includes(name) ? [] : null]));
}

describe('a record with almost no fields', () => {
  it('becomes a valid post with null fields and empty lists', async () => {
    const { result, answer } = await stored('post', [{ shortcode: SHORTCODE }]);
    expect(result).toEqual({});
    expect(answer).toEqual({
      ...nothingOf(imgnetPostSchema),
      ...{ type: 'post', shortcode: SHORTCODE, url: `${PLATFORM}/p/${SHORTCODE}/` },
      ...{ status: 'success', source: 'api', cost: '0.005', download: expect.any(Object) as object },
    });
  });

  it('becomes a valid reel with null fields and empty lists', async () => {
    const { answer } = await stored('reel', [{ url: `${PLATFORM}/reel/${SHORTCODE}/`, likes: null, length: 'long' }]);
    expect(answer).toEqual({
      ...nothingOf(imgnetReelSchema),
      ...{ type: 'reel', shortcode: SHORTCODE, url: `${PLATFORM}/reel/${SHORTCODE}/`, content_type: 'reel' },
      ...{ status: 'success', source: 'api', cost: '0.005', download: expect.any(Object) as object },
    });
  });
});

it('returns the account of the post in lower case', async () => {
  expect((await stored('post', [{ shortcode: SHORTCODE, user_posted: 'Evening.Talks' }])).result).toEqual({
    account: 'evening.talks',
  });
});

it('recognises a reel that was requested as a post', async () => {
  const { answer } = await stored('post', [{ shortcode: SHORTCODE, product_type: 'clips' }]);
  expect(answer).toMatchObject({ type: 'reel' });
});

it.each([
  ['nothing', [], 'removed'],
  ['a record of another type', [{ account: 'tea' }], 'upstream_error'],
])('fails for a snapshot with %s', async (_case, records, code) => {
  await expect(stored('post', records)).rejects.toMatchObject({ details: [code] });
});
