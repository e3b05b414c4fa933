import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postItemSchema, reelItemSchema } from '../../contract/kinds/imgnet-media.ts';
import {
  imgnetListSchema,
  imgnetListResultSchema,
  type ImgnetList,
  type ImgnetListFailed,
  type ImgnetListPending,
} from '../../contract/kinds/imgnet-list.ts';
import {
  imgnetProfileSchema,
  type ImgnetProfile,
  type ImgnetProfilePending,
} from '../../contract/kinds/imgnet-profile.ts';
import type { FailedResult } from '../../contract/http/job-answers.ts';
import { datasetStats, imgnetIndex, namesOfGivenFields, type ImgnetIndex } from '../helpers/imgnet.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService, untilAnswered, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** Whatever the answer may be: each test says what it expects. */
type ProfileAnswer = Omit<ImgnetProfile, 'status' | 'download'> &
  Omit<ImgnetProfilePending, 'status' | 'download'> &
  Omit<FailedResult, 'status' | 'download'> & { status: string };
type ListAnswer = Omit<ImgnetList, 'status'> &
  Omit<ImgnetListPending, 'status' | 'downloads'> &
  Omit<ImgnetListFailed, 'status'> & { status: string };

let service: TestService;
let index: ImgnetIndex;

beforeAll(async () => {
  service = await TestService.shared();
  index = await imgnetIndex(service);
}, 120_000);
afterAll(() => service.stop());

function accountOf(kind: string): { url: string; user_name: string } {
  return index.accounts.find((account) => account.case === kind)!;
}
const requestProfile = (kind: string, more: object = {}): Promise<Answered<ProfileAnswer>> =>
  service.request('POST', '/api/imgnet/profile', { body: { url: accountOf(kind).url, ...more } });
const requestList = (body: object, headers: Record<string, string> = {}): Promise<Answered<ListAnswer>> =>
  service.request('POST', '/api/imgnet/list', { body, headers });

const profile = (kind: string): Promise<ProfileAnswer> =>
  untilAnswered(() => requestProfile(kind), `the profile of ${kind}`);
const list = async (kind: string, more: object = {}): Promise<ListAnswer> => {
  const { list_id } = await profile(kind);
  return untilAnswered(() => requestList({ list_id, ...more }), `the list of ${kind}`);
};
const keysOf = (items: readonly object[]): string[] => [...new Set(items.flatMap(namesOfGivenFields))].sort();
const isDated = ({ date_posted }: { date_posted: string | null }): boolean => date_posted !== null;
/** A webhook of a list without the entry of the other part, whose status depends on the moment. */
function withoutOther(body: ImgnetList): object {
  expect(imgnetListSchema.parse(body)).toEqual(body);
  const { posts, reels } = body.downloads;
  const downloads = body.reels.length === 0 ? { posts } : { reels };
  return { ...body, downloads };
}
/** Links are signed anew each time. */
const codesOf = (items?: readonly { shortcode: string }[]): string[] => (items ?? []).map((item) => item.shortcode);

describe('a profile', () => {
  it('is pending, then has every field, and is triggered once for many requests', async () => {
    const first = await requestProfile('business');
    expect(first.status).toBe(202);
    const { list_id, download_id } = first.body;
    const answer = await profile('business');
    expect(imgnetProfileSchema.parse(answer)).toEqual(answer);
    expect(keysOf([answer])).toEqual(Object.keys(imgnetProfileSchema.shape).sort());
    const { user_name } = accountOf('business');
    expect(answer).toMatchObject({
      ...{ account: user_name, list_id, list_cost: 0.02, email: 'tea@example.com', highlights: ['Menu', 'Visitors'] },
      download: { id: download_id, media_id: user_name, type: 'imgnet_profile', status: 'success', cost: '0.010' },
    });
    expect((await datasetStats(service)).started[`profiles ${user_name}`]).toBe(1);
    const record = await service.getDownload(download_id);
    expect(record.body.data).toMatchObject({ type: 'imgnet_profile', status: 'success', cost: '0.010' });
  });

  it('with few fields is valid, and the others are null', async () => {
    const answer = await profile('ordinary');
    expect(imgnetProfileSchema.parse(answer)).toEqual(answer);
    expect(answer.following).toBe(311);
    for (const name of ['email', 'category_name', 'business_address', 'external_url']) {
      expect(answer).toHaveProperty(name, null);
    }
  });

  it('that does not exist fails, and the next answer reports the failure', async () => {
    const { body } = await requestProfile('not_found');
    await until(async () => (await service.getDownload(body.download_id)).status === 200, { what: 'the failure' });
    const again = await requestProfile('not_found');
    expect(again.status).toBe(202);
    // The new job may have failed as well before its answer was made.
    const either = expect.toBeOneOf([body.download_id, again.body.download_id]);
    expect(again.body.last_response).toMatchObject({ download_id: either, status: 'failed' });
    const waited = await service.request<ProfileAnswer>('POST', '/api/imgnet/profile', {
      body: { url: accountOf('not_found').url },
      headers: { Prefer: 'wait=30' },
    });
    expect([waited.status, waited.body.status, waited.body.code, waited.body.cost]).toEqual([
      ...[400, 'failed', 'removed', '0.000'],
    ]);
  });
});

describe('a list', () => {
  it('has every field of its items, states how complete it is, and is delivered by two webhooks', async () => {
    const receiver = await startWebhookReceiver();
    const { list_id } = await profile('business');
    const first = await requestList({ list_id, include_webhook: receiver.url });
    expect([first.status, first.headers.get('retry-after')]).toEqual([202, '60']);
    expect(imgnetListResultSchema.parse(first.body)).toEqual(first.body);
    expect(first.body.total_cost).toBe(0.02);
    const answer = await list('business');
    expect(imgnetListSchema.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      ...{ status: 'success', posts_count: 14, reels_count: 6, total_count: 20 },
      completeness: { expected: 20, received: 20 },
      downloads: {
        posts: { ...first.body.downloads.posts, status: 'success', cost: '0.010' },
        reels: { ...first.body.downloads.reels, status: 'success', cost: '0.010' },
      },
    });
    expect([answer.posts.length, answer.reels.length]).toEqual([14, 6]);
    // Its other posts are of other cases.
    expect(keysOf(answer.posts)).toEqual(Object.keys(postItemSchema.shape).sort());
    expect(keysOf(answer.reels)).toEqual(Object.keys(reelItemSchema.shape).sort());

    await until(() => receiver.posts.length === 2, { what: 'two webhooks' });
    const bodies = Object.fromEntries(
      receiver.posts.map(({ headers, body }) => {
        expect(headers['x-webhook-endpoint']).toBe('imgnet/list');
        expect(headers['x-webhook-original-status']).toBe('200');
        return [String(headers['x-webhook-download-id']), withoutOther(JSON.parse(body) as ImgnetList)];
      }),
    );
    const { posts, reels, posts_count, reels_count, downloads } = answer;
    const base = { status: 'success', message: expect.any(String) };
    expect(bodies).toEqual({
      [downloads.posts.id]: {
        ...{ ...base, posts, posts_count, total_count: posts_count, downloads: { posts: downloads.posts } },
        ...{ reels: [], reels_count: 0, completeness: { expected: null, received: posts_count } },
      },
      [downloads.reels.id]: {
        ...{ ...base, reels, reels_count, total_count: reels_count, downloads: { reels: downloads.reels } },
        ...{ posts: [], posts_count: 0, completeness: { expected: null, received: reels_count } },
      },
    });
    await receiver.close();
  });

  it('of some days has only what was posted in them', async () => {
    const all = await list('ordinary');
    const total = all.total_count;
    expect(total).toBe(60);
    for (const days of [0, 7, 999_999]) {
      const fromMs = Date.now();
      const some = await list('ordinary', { max_age_days: days });
      // What has no date cannot be judged here: there the platform's choice counts.
      const timesOf = ({ posts, reels }: ListAnswer) =>
        [...posts, ...reels].filter(isDated).map(({ date_posted }) => Date.parse(date_posted ?? ''));
      const sinceMs = fromMs - days * 86_400_000;
      expect(timesOf(some).filter((time) => time < sinceMs)).toEqual([]);
      // The sandbox publishes nothing while the test runs.
      const tookMs = Date.now() - fromMs;
      expect(timesOf(some)).toEqual(timesOf(all).filter((time) => time >= sinceMs + tookMs));
      expect(some.completeness).toEqual({ expected: days < 9_000 ? null : total, received: some.total_count });
    }
    expect((await list('ordinary', { max_age_days: 7 })).total_count).toBeLessThan(total);
  });

  it('of an account without posts is empty, and a success', async () => {
    expect(await list('empty')).toMatchObject({
      ...{ status: 'success', posts: [], reels: [], posts_count: 0, reels_count: 0, total_count: 0 },
      completeness: { expected: 0, received: 0 },
    });
  });

  it('of a private account fails, in both parts', async () => {
    const { list_id, is_private } = await profile('private');
    expect(is_private).toBe(true);
    const { status, body } = await requestList({ list_id }, { Prefer: 'wait=60' });
    expect(status).toBe(400);
    expect(imgnetListResultSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      ...{ status: 'failed', code: 'private' },
      downloads: { posts: { status: 'failed', cost: '0.000' }, reels: { status: 'failed', cost: '0.000' } },
      last_response: { posts: { status: 'failed' }, reels: { status: 'failed' } },
    });
  });
});

describe('a list whose reels fail', () => {
  it('has the posts, reports the failure in every answer, and repeats only the reels', async () => {
    const { user_name } = accountOf('ordinary');
    const receiver = await startWebhookReceiver();
    const { list_id } = await profile('ordinary');
    const change = { target: 'dataset', account: user_name, dataset: 'reels' };
    await service.misbehave({ ...change, mode: 'fail_snapshot', message: 'This account is private' });
    const request = { list_id, max_age_days: 30 };
    const { status, body } = await requestList({ ...request, include_webhook: receiver.url }, { Prefer: 'wait=60' });
    expect(status).toBe(200);
    expect(imgnetListResultSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      ...{ status: 'success', total_count: body.posts_count },
      downloads: { posts: { status: 'success' }, reels: { status: 'failed', cost: '0.000' } },
      last_response: { reels: { status: 'failed', response: 'The account is private.' } },
    });
    expect(body.posts.length).toBe(body.posts_count);
    expect(body).toMatchObject({
      reels: [],
      reels_count: 0,
      completeness: { expected: null, received: body.posts_count },
    });
    expect(body.last_response).not.toHaveProperty('posts');

    await until(() => receiver.posts.length === 2, { what: 'two webhooks' });
    const sent = receiver.posts.map((post) => ({
      original: post.headers['x-webhook-original-status'],
      ...(JSON.parse(post.body) as ListAnswer),
    }));
    expect(sent.find((one) => one.status === 'success')).toMatchObject({
      ...{ original: '200', posts_count: body.posts_count, reels: [], reels_count: 0 },
      downloads: { posts: body.downloads.posts },
    });
    const failed = sent.find((one) => one.status !== 'success');
    expect(failed).toEqual({
      ...{ original: '400', status: 'failed', code: 'private', message: 'The account is private.' },
      ...{ posts: [], reels: [], posts_count: 0, reels_count: 0, total_count: 0 },
      downloads: { posts: expect.objectContaining({ id: body.downloads.posts.id }), reels: body.downloads.reels },
      last_response: { reels: body.last_response?.reels },
    });

    await service.misbehave({ ...change, mode: 'off' });
    const before = (await datasetStats(service)).started;
    const again = await requestList(request);
    expect(again.status).toBe(202);
    expect(again.body.downloads).toMatchObject({
      posts: { id: body.downloads.posts.id, status: 'success' },
      reels: { status: 'pending' },
    });
    expect(again.body.last_response).toEqual({ reels: body.last_response?.reels });
    const whole = await untilAnswered(() => requestList(request), 'the whole list');
    expect(whole.posts_count).toBe(body.posts_count);
    expect(whole.reels_count).toBeGreaterThan(0);
    expect(whole).not.toHaveProperty('last_response');
    const after = (await datasetStats(service)).started;
    expect(after[`posts ${user_name}`]).toBe(before[`posts ${user_name}`]);
    expect(after[`reels ${user_name}`]).toBe((before[`reels ${user_name}`] ?? 0) + 1);
    await receiver.close();
  });
});

describe('the webhooks of a list whose reels take longer', () => {
  it('are two for each subscriber while it was pending, including the posts for one who came after them', async () => {
    const { user_name } = accountOf('ordinary');
    const { list_id } = await profile('ordinary');
    const change = { target: 'dataset', account: user_name, dataset: 'reels' };
    await service.misbehave({ ...change, mode: 'slow', seconds: 20, times: 1 });
    const receivers = await Promise.all([1, 2, 3].map(() => startWebhookReceiver()));
    const [first, second, late] = receivers as [(typeof receivers)[0], (typeof receivers)[0], (typeof receivers)[0]];
    const request = { list_id, max_age_days: 90 };
    await requestList({ ...request, include_webhook: first.url });
    await requestList({ ...request, include_webhook: second.url });
    await until(() => first.posts.length === 1 && second.posts.length === 1, { what: 'the webhooks of the posts' });
    const pending = await requestList({ ...request, include_webhook: late.url });
    expect(pending.body.downloads).toMatchObject({ posts: { status: 'success' }, reels: { status: 'pending' } });
    await requestList({ ...request, include_webhook: late.url });
    await until(() => late.posts.length === 1, { what: 'the webhook of the posts to who was late' });
    await until(() => receivers.every(({ posts }) => posts.length === 2), { within: 90_000, what: 'all webhooks' });
    const whole = await untilAnswered(() => requestList(request), 'the whole list');
    const { downloads } = whole;
    for (const { posts } of receivers) {
      const [one, other] = posts.map(({ body }) => JSON.parse(body) as ImgnetList);
      for (const body of [one, other]) expect(imgnetListSchema.parse(body)).toEqual(body);
      const running = { ...downloads, reels: { ...downloads.reels, status: 'pending' } };
      expect(one).toMatchObject({ posts_count: whole.posts_count, reels: [], reels_count: 0, downloads: running });
      expect(other).toMatchObject({ reels_count: whole.reels_count, posts: [], posts_count: 0, downloads });
      expect([codesOf(one?.posts), codesOf(other?.reels)]).toEqual([codesOf(whole.posts), codesOf(whole.reels)]);
    }
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }, 150_000);
});
