import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../contract/http/api-error.ts';
import {
  imgnetContentPendingSchema,
  imgnetPostSchema,
  imgnetReelSchema,
  type ImgnetPost,
  type ImgnetReel,
} from '../../contract/kinds/imgnet-content.ts';
import type { PendingResult } from '../../contract/http/job-answers.ts';
import {
  datasetStats,
  imgnetIndex,
  postUrl,
  shortcodeOf,
  namesOfGivenFields,
  type ImgnetIndex,
} from '../helpers/imgnet.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService, untilAnswered, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** Whichever of the answers it is. */
interface Content {
  readonly [name: string]: unknown;
  readonly download_id: string;
  readonly account?: string;
  readonly download?: { readonly id: string };
}

let service: TestService;
let index: ImgnetIndex;

beforeAll(async () => {
  service = await TestService.shared();
  index = await imgnetIndex(service);
}, 120_000);
afterAll(() => service.stop());

const request = (url: string, more: object = {}): Promise<Answered<Content>> =>
  service.request('POST', '/api/imgnet/content', { body: { url, ...more } });

const ended = (url: string): Promise<Content> => untilAnswered(() => request(url), `the end of ${url}`);

const started = async (key: string): Promise<number> => (await datasetStats(service)).started[key] ?? 0;

describe('the content', () => {
  it('of a new account is one job and one profile, charged once, for 20 simultaneous requests', async () => {
    const url = postUrl(index, 'carousel', 0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(url)));
    // A request that is accepted after the job has ended gets the content itself.
    const ids = new Set(answers.map(({ status, body }) => (status === 200 ? body.download?.id : body.download_id)));
    expect(ids.size).toBe(1);
    const pending = answers.filter(({ status }) => status !== 200);
    expect(pending.length).toBeGreaterThan(0);
    for (const { status, body, headers } of pending) {
      expect(status).toBe(202);
      expect(imgnetContentPendingSchema.parse(body)).toEqual(body);
      expect(body).toMatchObject({ cost: '0.015', download: { type: 'imgnet_post', status: 'pending' } });
      expect(headers.get('retry-after')).toBe('30');
    }

    const content = await ended(url);
    expect(content).toMatchObject({ cost: '0.015', download: { id: [...ids][0], cost: '0.015' } });
    const account = content.account ?? '';
    expect(await started(`posts ${shortcodeOf(url)}`)).toBe(1);
    expect(await started(`profiles ${account}`)).toBe(1);

    const { downloads } = (
      await service.request<{ downloads: { type: string; cost: string; status: string; media_id: string }[] }>(
        'GET',
        '/api/downloads',
      )
    ).body;
    // Other tests have used the service for accounts of their own.
    const own = downloads.filter(({ media_id }) => [account, shortcodeOf(url)].includes(media_id));
    const charged = own.map(({ type, cost, status }) => `${type} ${status} ${cost}`);
    expect(charged.sort()).toEqual(['imgnet_post success 0.015', 'imgnet_profile success 0.000']);

    const profile = await service.request('POST', '/api/imgnet/profile', { body: { url: `@${account}` } });
    expect(profile).toMatchObject({ status: 200, body: { account, download: { cost: '0.000' } } });
    const again = await request(url);
    expect(again).toMatchObject({ status: 200, body: { cost: '0.015', download: { id: [...ids][0] } } });
  });
});

describe('the profile of the owner', () => {
  /** An account that was not requested before. */
  const account = (): string => index.accounts.find((one) => one.case === 'business')?.user_name ?? '';
  const spoilProfiles = (change: object): Promise<void> =>
    service.misbehave({ target: 'dataset', dataset: 'profiles', account: account(), ...change });
  const waitFor = (url: string): Promise<Answered<Content>> =>
    service.request('POST', '/api/imgnet/content', { body: { url }, headers: { prefer: 'wait=60' } });

  it('that fails leaves the content intact, and only the content is charged', async () => {
    await spoilProfiles({ mode: 'fail_snapshot', message: 'dead_page: account is private' });
    const content = await waitFor(postUrl(index, 'image', 1));
    expect(content).toMatchObject({ status: 200, body: { status: 'success', cost: '0.005' } });
    expect(await started(`profiles ${account()}`)).toBe(1);
    await spoilProfiles({ mode: 'off' });
  });

  it('of a job of another caller is awaited, and charged to that caller', async () => {
    await spoilProfiles({ mode: 'slow', seconds: 6 });
    const body = { url: `@${account()}` };
    const profile = await service.request<PendingResult>('POST', '/api/imgnet/profile', { body });
    expect(profile.status).toBe(202);
    const content = await waitFor(postUrl(index, 'video', 1));
    expect(content).toMatchObject({ status: 200, body: { status: 'success', cost: '0.005' } });
    const fetched = await service.request('POST', '/api/imgnet/profile', { body });
    expect(fetched).toMatchObject({ status: 200, body: { download: { id: profile.body.download_id, cost: '0.010' } } });
    expect(await started(`profiles ${account()}`)).toBe(2);
    await spoilProfiles({ mode: 'off' });
  });
});

describe('the content', () => {
  it('has exactly the fields of a post, each in at least one case', async () => {
    const cases = ['image', 'video', 'carousel', 'paid', 'coauthored'];
    const posts = (await Promise.all(cases.map((kind) => ended(postUrl(index, kind))))) as unknown as ImgnetPost[];
    for (const post of posts) expect(imgnetPostSchema.parse(post)).toEqual(post);
    const given = new Set(posts.flatMap(namesOfGivenFields));
    expect([...given].sort()).toEqual(Object.keys(imgnetPostSchema.shape).sort());

    const [image, video, carousel, paid, coauthored] = posts;
    expect(image).toMatchObject({ type: 'post', content_type: 'image', video_url: null, videos_duration: null });
    expect(video).toMatchObject({ content_type: 'video', videos: [expect.any(String)], photos_number: 0 });
    expect(paid).toMatchObject({
      is_paid_partnership: true,
      partnership_details: [{ username: 'two.cups', profile_id: '1000000042' }],
    });
    expect(coauthored).toMatchObject({ coauthor_producers: ['two.cups'], is_paid_partnership: false });
    expect(carousel?.post_content.map(({ index: at, type }) => [at, type])).toEqual([
      [0, 'photo'],
      [1, 'video'],
      [2, 'photo'],
      [3, 'video'],
    ]);
    expect(posts.some(({ tagged_users }) => tagged_users[0]?.username === 'two.cups')).toBe(true);
    for (const { latest_comments } of posts) {
      expect(latest_comments.every((comment) => typeof comment.created_at === 'string')).toBe(true);
    }
    expect(posts.some(({ latest_comments }) => latest_comments.length > 0)).toBe(true);
  });

  it('has every field of a reel, with the date of a comment under its own name', async () => {
    const reels = (await Promise.all(
      ['reel', 'silent'].map((kind) => ended(postUrl(index, kind))),
    )) as unknown as ImgnetReel[];
    for (const reel of reels) {
      expect(imgnetReelSchema.parse(reel)).toEqual(reel);
      expect(reel).toMatchObject({ type: 'reel', content_type: 'reel', product_type: 'clips', status: 'success' });
      expect(Number.isInteger(reel.length)).toBe(true);
    }
    const given = new Set(reels.flatMap(namesOfGivenFields));
    // These two have no further authors.
    const expected = Object.keys(imgnetReelSchema.shape).filter((name) => name !== 'coauthor_producers');
    expect([...given].sort()).toEqual(expected.sort());
    const comments = reels.flatMap(({ latest_comments }) => latest_comments);
    expect(comments.length).toBeGreaterThan(0);
    for (const comment of comments) expect(comment).toHaveProperty('date_of_comment');
  });

  it('charges only the content when the profile is fresh', async () => {
    const url = postUrl(index, 'coauthored', 1);
    // The profile contains the owners of the posts.
    expect(await request(url)).toMatchObject({ status: 202, body: { cost: '0.005' } });
    expect(await ended(url)).toMatchObject({ cost: '0.005' });
    expect(await started(`posts ${shortcodeOf(url)}`)).toBe(1);
  });

  it('recognises a reel by its record, also when it is requested as a post', async () => {
    const shortcode = shortcodeOf(postUrl(index, 'reel'));
    const asPost = `${service.sandbox.url}/p/${shortcode}/?igsh=abc`;
    expect(await ended(asPost)).toMatchObject({ type: 'reel', shortcode });
  });

  it('ignores download_id and other fields', async () => {
    const url = postUrl(index, 'image');
    expect(await request(url, { download_id: 'whatever', color: 'red' })).toMatchObject({ status: 200 });
  });

  it('of a deleted post fails, and the next pending answer reports the failure', async () => {
    const url = postUrl(index, 'deleted');
    const first = await request(url);
    expect(first.status).toBe(202);
    expect(first.body).not.toHaveProperty('last_response');
    // The subject points to the failure a moment after the record has ended.
    const ids = [first.body.download_id];
    const second = await until(
      async () => {
        const { status, body } = await request(url);
        if (status === 202 && body.last_response !== undefined) return body;
        ids.push(body.download_id);
        return undefined;
      },
      { what: 'the failure in the next pending answer' },
    );
    expect(second.last_response).toMatchObject({
      download_id: expect.toBeOneOf(ids.filter((id) => id !== second.download_id)) as string,
      status: 'failed',
      response: expect.stringMatching(/removed/) as string,
    });
    const waited = await service.request<Content>('POST', '/api/imgnet/content', {
      body: { url },
      headers: { prefer: 'wait=30' },
    });
    expect(waited).toMatchObject({ status: 400, body: { status: 'failed', code: 'removed', cost: '0.000' } });
  });

  it('is delivered to webhooks as the endpoint returns it', async () => {
    const receiver = await startWebhookReceiver();
    const [good, bad] = [postUrl(index, 'paid', 1), postUrl(index, 'deleted')];
    await request(good, { include_webhook: receiver.url });
    await request(bad, { include_webhook: receiver.url });
    await until(() => receiver.posts.length === 2, { within: 60_000, what: 'two webhooks' });
    const [failed, fetched] = receiver.posts.toSorted(
      (a, b) => Number(b.headers['x-webhook-original-status']) - Number(a.headers['x-webhook-original-status']),
    );
    for (const { headers } of receiver.posts) expect(headers['x-webhook-endpoint']).toBe('imgnet/content');
    expect(failed?.headers['x-webhook-original-status']).toBe('400');
    expect(JSON.parse(failed?.body ?? '')).toMatchObject({ status: 'failed', code: 'removed' });
    expect(fetched?.headers['x-webhook-original-status']).toBe('200');
    expect(JSON.parse(fetched?.body ?? '')).toEqual((await request(good)).body);
    await receiver.close();
  });

  it.each(['https://www.instagram.com/evening.talks/', 'https://example.com/p/abc/', 'abc', '', 7])(
    'of %j returns an error that names the field',
    async (url) => {
      const answer = await service.request<ErrorBody>('POST', '/api/imgnet/content', { body: { url } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', details: [{ path: 'url' }] } });
    },
  );
});
