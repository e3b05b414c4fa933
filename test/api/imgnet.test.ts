import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ulid } from 'ulid';
import type { JobInput } from '../../contract/job-input.ts';
import { imgnetListResultSchema } from '../../contract/kinds/imgnet-list.ts';
import { imgnetProfileResultSchema } from '../../contract/kinds/imgnet-profile.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
let facades: Facades;
let number = 0;

beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  vi.mocked(facades.deps.now).mockImplementation(() => Date.now());
  facades.jobs.start.mockReset().mockResolvedValue('started');
});

const account = (): string => `tea.house_${String((number += 1))}`;
const started = (): JobInput[] => facades.jobs.start.mock.calls.map(([, input]) => input);
const ask = (path: string, body: object) => facades.post(`/api/imgnet/${path}`, JSON.stringify(body));
const later = (sinceMs: number, byMs: number): void => {
  vi.mocked(facades.deps.now).mockImplementation(() => sinceMs + byMs);
};
const failure = { status: 'failed', failure: { code: 'upstream_error', message: 'It did not work.' } } as const;
const timeOf = (record: object): number => Date.parse((record as { finishedAt: string }).finishedAt);

/** Creates a fetched profile. @returns its list_id and the time of its end */
async function profile(name: string, postsCount?: number): Promise<{ listId: string; finishedMs: number }> {
  const { body } = await ask('profile', { url: `@${name}` });
  const listId = String(body['list_id']);
  const url = `https://www.instagram.com/${name}/`;
  const counted = postsCount === undefined ? {} : { posts_count: postsCount };
  await facades.contents.putFacts(listId, { account: name, profile_url: url, url, ...counted });
  const record = await finishRecord(facades.deps.records, listId, { status: 'success', result: {} });
  facades.jobs.start.mockClear();
  return { listId, finishedMs: timeOf(record) };
}

describe('a request for a profile', () => {
  it('is pending with every field of the specification', async () => {
    const name = account();
    const { status, headers, body } = await ask('profile', { url: `https://www.instagram.com/${name}/` });
    expect([status, headers.get('retry-after')]).toEqual([202, '30']);
    expect(imgnetProfileResultSchema.parse(body)).toEqual(body);
    const id = started()[0]!.recordId;
    expect(body).toEqual({
      ...{ status: 'pending', message: expect.any(String), download_id: id, list_id: id, list_cost: 0.01 },
      ...{ source: 'api', cost: '0.010', download: { id, type: 'imgnet_profile', status: 'pending' } },
    });
  });

  it.each([
    (name: string) => `https://www.instagram.com/${name}/`,
    (name: string) => `http://instagram.com/${name}`,
    (name: string) => `www.instagram.com/${name}/?igsh=abc#top`,
    (name: string) => `https://m.instagram.com/${name}/reels/`,
    (name: string) => `HTTPS://WWW.INSTAGRAM.COM/${name.toUpperCase()}/`,
    (name: string) => `@${name}`,
    (name: string) => `http://127.0.0.1:4000/${name}`,
  ])('has one subject for every form of its URL (%#)', async (write) => {
    const name = account();
    expect((await ask('profile', { url: write(name) })).status).toBe(202);
    expect(facades.jobs.start).toHaveBeenCalledExactlyOnceWith(
      'imgnetProfile',
      expect.objectContaining({ subjectId: `imgnet_profile/${name}`, mediaId: name, price: 10 }),
      { requestId: expect.any(String), delayMs: 0 },
    );
  });

  it.each(['https://www.instagram.com/p/CabcDEF1234/', 'https://example.com/tea', 'tea house', '', 'https://'])(
    'is refused when it is none: %s',
    async (url) => {
      const { status, body } = await ask('profile', { url });
      expect([status, body['code'], body['details']]).toEqual([
        400,
        'invalid_input',
        [{ path: 'url', message: expect.stringContaining('must be a profile') }],
      ]);
      expect(facades.jobs.start).not.toHaveBeenCalled();
    },
  );

  it('is answered 503 with the name of the setting if the platform is not configured', async () => {
    const { deps } = facades;
    const { isImgnetConfigured } = deps.platforms;
    Object.assign(deps.platforms, { isImgnetConfigured: false });
    try {
      const { status, body } = await ask('profile', { url: `@${account()}` });
      expect([status, body['code'], body['error']]).toEqual([
        503,
        'unavailable',
        expect.stringContaining('IMGNET_API_TOKEN'),
      ]);
      expect(facades.jobs.start).not.toHaveBeenCalled();
    } finally {
      Object.assign(deps.platforms, { isImgnetConfigured });
    }
  });

  it('is answered from the record while it is fresh', async () => {
    const name = account();
    const { listId } = await profile(name, 62);
    const { status, body } = await ask('profile', { url: `@${name}` });
    expect([status, body['list_id'], body['list_cost']]).toEqual([200, listId, 0.062]);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('reports the last failure for exactly 30 minutes', async () => {
    const url = `@${account()}`;
    const first = (await ask('profile', { url })).body['download_id'] as string;
    const failed = await finishRecord(facades.deps.records, first, failure);
    const pending = await ask('profile', { url });
    expect(pending.body['last_response']).toEqual({
      ...{ download_id: first, status: 'failed', response: 'It did not work.', created_at: failed.createdAt },
    });
    expect(imgnetProfileResultSchema.parse(pending.body)).toEqual(pending.body);
    later(timeOf(failed), 30 * MINUTE_MS - 1);
    expect((await ask('profile', { url })).body).toHaveProperty('last_response');
    later(timeOf(failed), 30 * MINUTE_MS + 1_000);
    expect((await ask('profile', { url })).body).not.toHaveProperty('last_response');
  });
});

describe('a request for a list', () => {
  it('starts two jobs that share its price', async () => {
    const name = account();
    const { listId } = await profile(name, 63);
    const { status, headers, body } = await ask('list', { list_id: listId });
    expect([status, headers.get('retry-after')]).toEqual([202, '60']);
    const [posts, reels] = started();
    const parameters = { postsCount: 63 };
    expect(posts).toMatchObject({
      ...{ type: 'imgnet_list_posts', subjectId: `imgnet_list_posts/${name}/all`, mediaId: name, price: 32 },
      parameters: { part: 'posts', ...parameters },
    });
    expect(reels).toMatchObject({
      ...{ type: 'imgnet_list_reels', subjectId: `imgnet_list_reels/${name}/all`, mediaId: name, price: 31 },
      parameters: { part: 'reels', ...parameters },
    });
    expect(body).toEqual({
      ...{ status: 'pending', message: expect.any(String), total_cost: 0.063 },
      downloads: {
        posts: { id: posts!.recordId, type: 'imgnet_list_posts', status: 'pending' },
        reels: { id: reels!.recordId, type: 'imgnet_list_reels', status: 'pending' },
      },
    });
    expect(imgnetListResultSchema.parse(body)).toEqual(body);
  });

  it('has the minimum price if the profile has no number of posts', async () => {
    const { listId } = await profile(account());
    expect((await ask('list', { list_id: listId })).body['total_cost']).toBe(0.01);
    expect(started().map(({ price }) => price)).toEqual([5, 5]);
  });

  it.each([
    [0, '2026-11-21T23:59:00.000Z'],
    [7, '2026-11-14T23:59:00.000Z'],
    [999_999, 'all'],
    [undefined, 'all'],
  ])('with max_age_days %s begins at %s', async (maxAgeDays, since) => {
    // The profile has the same time, because the list_id must be valid.
    const nowMs = Date.parse('2026-11-21T23:59:00Z');
    later(nowMs, 0);
    const { listId } = await profile(account());
    const record = (await facades.deps.records.get(listId))!;
    vi.spyOn(facades.deps.records, 'get').mockResolvedValueOnce({
      ...record,
      finishedAt: '2026-11-21T23:30:00.000000Z',
    } as typeof record);
    const { status } = await ask('list', { list_id: listId, max_age_days: maxAgeDays });
    expect(status).toBe(202);
    expect(started().map(({ subjectId }) => subjectId.split('/').at(-1))).toEqual([since, since]);
  });

  it.each([-1, 1_000_000, '7', 1.5, true])('is refused with max_age_days %j', async (maxAgeDays) => {
    const { listId } = await profile(account());
    const { status, body } = await ask('list', { list_id: listId, max_age_days: maxAgeDays });
    expect([status, body['code'], body['details']]).toEqual([
      400,
      'invalid_input',
      [{ path: 'max_age_days', message: 'must be an integer from 0 to 999999' }],
    ]);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('needs a known list_id', async () => {
    for (const list_id of [ulid(), 'nonsense', '']) {
      const { status, body } = await ask('list', { list_id });
      expect([status, body['code']]).toEqual([404, 'not_found']);
    }
  });

  it('needs a profile that has been fetched', async () => {
    const name = account();
    const { body: pending } = await ask('profile', { url: `@${name}` });
    const early = await ask('list', { list_id: pending['list_id'] });
    expect([early.status, early.body['code'], early.headers.get('retry-after')]).toEqual([409, 'not_ready', '30']);
    await finishRecord(facades.deps.records, String(pending['list_id']), failure);
    const failed = await ask('list', { list_id: pending['list_id'] });
    expect([failed.status, failed.body['code']]).toEqual([404, 'not_found']);
  });

  it('accepts a list_id for exactly one hour', async () => {
    const { listId, finishedMs } = await profile(account());
    const { listId: inTime, finishedMs: inTimeMs } = await profile(account());
    later(inTimeMs, HOUR_MS - 1);
    expect((await ask('list', { list_id: inTime })).status).toBe(202);
    later(finishedMs, HOUR_MS + 1_000);
    const { status, body } = await ask('list', { list_id: listId });
    expect([status, body['code']]).toEqual([410, 'list_id_expired']);
  });

  it('never returns an expired list_id', async () => {
    const name = account();
    const { listId, finishedMs } = await profile(name);
    later(finishedMs, HOUR_MS);
    const { status, body } = await ask('profile', { url: `@${name}` });
    expect(status).toBe(202);
    expect(body['list_id']).not.toBe(listId);
  });

  it('repeats only the reels if they failed, and reports the failure for 30 minutes', async () => {
    const { listId } = await profile(account(), 3);
    await ask('list', { list_id: listId });
    const [posts, reels] = started();
    await finishRecord(facades.deps.records, posts!.recordId, {
      status: 'success',
      result: { lists: { posts: { pieces: 0, items: 0 } } },
    });
    const failed = await finishRecord(facades.deps.records, reels!.recordId, failure);
    facades.jobs.start.mockClear();
    const { status, body } = await ask('list', { list_id: listId });
    expect(status).toBe(202);
    expect(started().map(({ type }) => type)).toEqual(['imgnet_list_reels']);
    expect(body['downloads']).toMatchObject({ posts: { status: 'success' }, reels: { status: 'pending' } });
    expect(body['last_response']).toEqual({
      reels: {
        ...{ download_id: reels!.recordId, status: 'failed', response: 'It did not work.' },
        created_at: failed.createdAt,
      },
    });
    expect(imgnetListResultSchema.parse(body)).toEqual(body);
    later(timeOf(failed), 30 * MINUTE_MS + 1_000);
    expect((await ask('list', { list_id: listId })).body).not.toHaveProperty('last_response');
  });

  it('works over tRPC too', async () => {
    const name = account();
    const pending = await facades.rpc.imgnet.profile.mutate({ url: `@${name}` });
    expect(pending).toMatchObject({ status: 'pending', source: 'api' });
    const { listId } = await profile(account());
    expect(await facades.rpc.imgnet.list.mutate({ list_id: listId, max_age_days: 3 })).toMatchObject({
      status: 'pending',
      total_cost: 0.01,
    });
  });
});
