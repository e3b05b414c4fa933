import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postContentOf, reelContentOf } from '../../sources/imgnet/records/items.ts';
import { postContentSchema, reelContentSchema } from '../../contract/kinds/imgnet-content.ts';
import { imgnetProfileFieldsOf } from '../../sources/imgnet/records/profile.ts';
import { imgnetProfileFieldsSchema } from '../../contract/kinds/imgnet-profile.ts';
import { withNullDefaults } from '../../contract/kinds/sparse.ts';
import type { ImgnetRecord } from '../../sources/imgnet/records/record-readers.ts';
import { run } from '../../runtime/subprocess/run-program.ts';
import { startDatasetApi, type TestDatasetApi } from '../helpers/imgnet-source.ts';
import { tool } from '../helpers/sandbox.ts';

const PROFILES = 'gd_l1vikfch901nx3by4';
const POSTS = 'gd_lk5ns7kz21pck8jpis';
const REELS = 'gd_lyclm20il4r5helnj';
const DISCOVER = '&type=discover_new&discover_by=url';
const AUTHORIZATION = { authorization: 'Bearer sandbox-token' };
const DAY_MS = 86_400_000;

let api: TestDatasetApi;
let nowMs = Date.now();
beforeAll(async () => {
  api = await startDatasetApi({ largePosts: 2_500, largeReels: 10, now: () => nowMs });
});
afterEach(() => api.behave());
afterAll(() => api.stop());

const accountUrl = (wanted: string): string => api.accounts().find((account) => account.case === wanted)!.url;
const postUrl = (wanted: string): string => api.posts().find((post) => post.case === wanted)!.url;
const get = (path: string): Promise<Response> => fetch(`${api.url}/datasets/v3/${path}`, { headers: AUTHORIZATION });
const post = (query: string, body: unknown, headers: Record<string, string> = AUTHORIZATION): Promise<Response> =>
  fetch(`${api.url}/datasets/v3/trigger?${query}`, { method: 'POST', headers, body: JSON.stringify(body) });

async function start(datasetId: string, input: object, more = ''): Promise<string> {
  const response = await post(`dataset_id=${datasetId}&include_errors=true${more}`, [input]);
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as { snapshot_id: string }).snapshot_id;
}
async function rows(datasetId: string, input: object, more = ''): Promise<ImgnetRecord[]> {
  const id = await start(datasetId, input, more);
  return (await (await get(`snapshot/${id}?format=json`)).json()) as ImgnetRecord[];
}
const shortcodes = (records: readonly ImgnetRecord[]): unknown[] => records.map((record) => record['shortcode']);

describe('the full records', () => {
  const context = (): { platformUrl: string; hosts: string[] } => ({
    platformUrl: api.url,
    hosts: [new URL(api.url).host],
  });

  it('have every field of the specification for a profile', async () => {
    const [record] = await rows(PROFILES, { url: accountUrl('business') });
    const fields = imgnetProfileFieldsOf(record!, { account: 'x', ...context() });
    expect(imgnetProfileFieldsSchema.parse(fields)).toEqual(fields);
    expect(Object.keys(fields).sort()).toEqual(Object.keys(imgnetProfileFieldsSchema.shape).sort());
    expect(fields.url).toBe(accountUrl('business'));
  });

  it('have every field of the specification for posts and reels, and valid ones where they lack some', async () => {
    const posts = (await rows(POSTS, { url: accountUrl('ordinary'), post_type: 'Post' }, DISCOVER)).map((record) =>
      postContentOf(record, context())!,
    );
    const reels = (await rows(REELS, { url: accountUrl('ordinary') }, DISCOVER)).map((record) =>
      reelContentOf(record, context())!,
    );
    for (const item of posts.map(withNullDefaults(postContentSchema)))
      expect(postContentSchema.parse(item)).toEqual(item);
    for (const item of reels.map(withNullDefaults(reelContentSchema)))
      expect(reelContentSchema.parse(item)).toEqual(item);
    const namesIn = (items: readonly object[]): string[] => [...new Set(items.flatMap((item) => Object.keys(item)))];
    expect(namesIn(posts.slice(0, 6)).sort()).toEqual(Object.keys(postContentSchema.shape).sort());
    expect(namesIn(reels.slice(0, 6)).sort()).toEqual(
      Object.keys(reelContentSchema.shape)
        .filter((name) => name !== 'coauthor_producers')
        .sort(),
    );
    expect(posts.some((item) => item.likes === undefined && item.description === undefined)).toBe(true);
    expect(reels.some((item) => item.date_posted === undefined)).toBe(true);
  });

  it('show each case of a post', async () => {
    const slides = async (wanted: string): Promise<unknown[]> => {
      const [record] = await rows(POSTS, { url: postUrl(wanted) });
      return postContentOf(record!, context())!.post_content!.map(({ type }) => type);
    };
    expect(await slides('image')).toEqual(['photo']);
    expect(await slides('video')).toEqual(['video']);
    expect(await slides('carousel')).toEqual(['photo', 'video', 'photo', 'video']);
    expect((await rows(POSTS, { url: postUrl('paid') }))[0]).toMatchObject({
      is_paid_partnership: true,
      partnership_details: { username: 'two.cups' },
    });
    expect((await rows(POSTS, { url: postUrl('coauthored') }))[0]).toMatchObject({ coauthor_producers: ['two.cups'] });
    expect((await rows(POSTS, { url: postUrl('deleted') }))[0]).toMatchObject({ error_code: 'dead_page' });
  });
});

describe('lists', () => {
  const day = (ageDays: number): string => {
    const [year, month, date] = new Date(nowMs - ageDays * DAY_MS).toISOString().slice(0, 10).split('-');
    return `${month!}-${date!}-${year!}`;
  };
  const dates = (records: readonly ImgnetRecord[]): string[] =>
    records.flatMap((record) => (typeof record['date_posted'] === 'string' ? record['date_posted'] : []));

  it('are the same each time, newest first, some rows twice', async () => {
    const url = accountUrl('ordinary');
    const id = await start(POSTS, { url, post_type: 'Post' }, DISCOVER);
    const download = async (): Promise<string> => (await get(`snapshot/${id}?format=ndjson`)).text();
    const text = await download();
    expect(await download()).toBe(text);
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ImgnetRecord);
    expect(records).toHaveLength(50);
    expect(new Set(shortcodes(records)).size).toBe(48);
    expect(dates(records)).toEqual([...dates(records)].sort().reverse());
    expect(records.some((record) => typeof record['likes'] === 'string')).toBe(true);
  });

  it('keep to the wanted days, both included, and to the wanted number', async () => {
    const url = accountUrl('ordinary');
    const records = await rows(POSTS, { url, post_type: 'Post', start_date: day(20), end_date: day(10) }, DISCOVER);
    const found = dates(records);
    expect(found.length).toBeGreaterThan(3);
    for (const date of found) {
      expect(date >= new Date(nowMs - 20 * DAY_MS).toISOString().slice(0, 10)).toBe(true);
      expect(date < new Date(nowMs - 9 * DAY_MS).toISOString().slice(0, 10)).toBe(true);
    }
    const [first, second, third] = await rows(POSTS, { url, num_of_posts: 3, post_type: 'Post' }, DISCOVER);
    expect(third).toBeDefined();
    const without = { url, num_of_posts: 1, post_type: 'Post', posts_to_not_include: [first!['post_id']] };
    expect(shortcodes(await rows(POSTS, without, DISCOVER))).toEqual(shortcodes([second!]));
    expect(await rows(REELS, { url }, `${DISCOVER}&limit_per_input=2`)).toHaveLength(2);
  });

  it('hold the reels too without a type of posts', async () => {
    const url = accountUrl('business');
    const products = (records: readonly ImgnetRecord[]): unknown[] => [
      ...new Set(records.map((record) => record['product_type'])),
    ];
    expect(products(await rows(POSTS, { url }, DISCOVER))).toEqual(['feed', 'clips']);
    expect(products(await rows(POSTS, { url, post_type: 'Reels' }, DISCOVER))).toEqual(['clips']);
    expect((await rows(POSTS, { url, post_type: 'Reel' }, DISCOVER))[0]).toMatchObject({ error_code: 'bad_input' });
  });

  it.each([
    ['empty', /no public posts in the profile for the specified period/],
    ['private', /private/],
    ['not_found', /reading 'pk'/],
  ])('of an account that is %s are an error row, all with the same code', async (wanted, error) => {
    const [row, ...more] = await rows(POSTS, { url: accountUrl(wanted) }, DISCOVER);
    expect(row).toMatchObject({
      error: expect.stringMatching(error),
      error_code: 'dead_page',
      input: expect.anything(),
    });
    expect(more).toEqual([]);
  });

  it('come in parts', async () => {
    const id = await start(POSTS, { url: accountUrl('large'), post_type: 'Post' }, DISCOVER);
    expect(await (await get(`snapshot/${id}/parts?batch_size=1000`)).json()).toEqual({ parts: 3 });
    const part = async (number: number): Promise<ImgnetRecord[]> =>
      (await (await get(`snapshot/${id}?batch_size=1000&part=${String(number)}`)).json()) as ImgnetRecord[];
    const parts = [await part(1), await part(2), await part(3)];
    expect(parts.map((records) => records.length)).toEqual([1_000, 1_000, 563]);
    expect(new Set(shortcodes(parts.flat())).size).toBe(2_500);
    expect((await get(`snapshot/${id}?batch_size=10`)).status).toBe(400);
  });
});

describe('the API', () => {
  it('wants the token', async () => {
    const refusal = async (headers: Record<string, string>): Promise<string> => {
      const response = await post(`dataset_id=${PROFILES}`, [{ url: 'https://x.test/a' }], headers);
      expect(response.status).toBe(401);
      return response.text();
    };
    expect(await refusal({})).toBe('Credentials are missing');
    expect(await refusal({ authorization: 'Basic x' })).toBe('Auth method is not supported');
    expect(await refusal({ authorization: 'Bearer x' })).toBe('Invalid credentials');
  });

  it.each([
    ['', [{ url: 'https://x.test/a' }], 400, 'dataset missing'],
    ['dataset_id=gd_x', [{ url: 'https://x.test/a' }], 404, 'dataset does not exist'],
    [`dataset_id=${POSTS}`, [], 400, 'No data to trigger'],
    [`dataset_id=${POSTS}`, [{ url: 'nothing' }], 400, /validation_error.*must be a valid url/],
    [`dataset_id=${POSTS}${DISCOVER}`, [{ url: 'https://x.test/a', start_date: '2026-01-01' }], 400, /valid date/],
    [
      `dataset_id=${POSTS}&type=discover_new&discover_by=tea`,
      [{ url: 'https://x.test/a' }],
      400,
      /discovery collector/,
    ],
    [`dataset_id=${REELS}`, [{ url: 'https://x.test/a', post_type: 'Post' }], 400, /should not contain a post_type/],
  ])('refuses %s %j', async (query, body, status, text) => {
    const response = await post(query, body);
    expect([response.status, await response.text()]).toEqual([
      status,
      typeof text === 'string' ? text : expect.stringMatching(text),
    ]);
  });

  it('takes an object with the input, and finds a profile by its name', async () => {
    const [account] = api.accounts();
    const response = await post(`dataset_id=${PROFILES}&type=discover_new&discover_by=user_name`, {
      input: [{ user_name: account!.user_name }],
    });
    const { snapshot_id: id } = (await response.json()) as { snapshot_id: string };
    expect(await (await get(`snapshot/${id}`)).json()).toMatchObject([{ account: account!.user_name }]);
    expect((await get('progress/s_unknown')).status).toBe(404);
  });

  it('tells how far a snapshot is', async () => {
    api.misbehave({ target: 'dataset', mode: 'slow', seconds: 100 });
    const id = await start(PROFILES, { url: accountUrl('ordinary') });
    const status = async (): Promise<unknown> =>
      ((await (await get(`progress/${id}`)).json()) as { status: unknown }).status;
    expect(await status()).toBe('starting');
    nowMs += 50_000;
    expect(await status()).toBe('running');
    const early = await get(`snapshot/${id}`);
    expect([early.status, await early.json()]).toEqual([202, { status: 'running', message: expect.any(String) }]);
    nowMs += 50_000;
    expect(await status()).toBe('ready');
  });

  it('lists the snapshots of a dataset, the newest first, and what each was started with', async () => {
    const url = accountUrl('business');
    const first = await start(REELS, { url }, DISCOVER);
    nowMs += 1_000;
    const second = await start(REELS, { url, num_of_posts: 3, posts_to_not_include: ['a', 'b"'] }, DISCOVER);
    const list = async (more = ''): Promise<{ id: string }[]> =>
      (await (await get(`snapshots?dataset_id=${REELS}${more}`)).json()) as { id: string }[];
    const [newest, older] = await list();
    expect(newest).toEqual({
      ...{ id: second, created: new Date(nowMs).toISOString(), status: 'ready', dataset_id: REELS },
      trigger: { type: 'API' },
    });
    expect(older?.id).toBe(first);
    expect((await list('&skip=1&limit=1')).map(({ id }) => id)).toEqual([first]);
    expect(await list('&status=failed')).toEqual([]);
    expect(await list('&from_date=2999-01-01')).toEqual([]);
    expect((await get('snapshots')).status).toBe(400);
    expect(await (await get(`snapshot/${first}/input`)).text()).toBe(`url\n${url}`);
    expect(await (await get(`snapshot/${second}/input`)).text()).toBe(
      `url,num_of_posts,posts_to_not_include\n${url},3,"a,b"""`,
    );
    api.misbehave({ target: 'dataset', mode: 'unlisted', seconds: 10, times: 1 });
    const late = await start(REELS, { url }, DISCOVER);
    expect((await list()).map(({ id }) => id)).not.toContain(late);
    nowMs += 10_000;
    expect((await list())[0]?.id).toBe(late);
  });

  it('counts requests', async () => {
    api.resetStats();
    const url = accountUrl('business');
    await rows(PROFILES, { url });
    await rows(POSTS, { url }, DISCOVER);
    const { user_name: name } = api.accounts().find((account) => account.url === url)!;
    expect(api.stats()).toMatchObject({
      triggers: { profiles: 1, posts: 1, reels: 0 },
      started: { [`profiles ${name}`]: 1, [`posts ${name}`]: 1 },
      progress_polls: 0,
      download_requests: 2,
      downloads: 2,
    });
  });
});

describe('switches', () => {
  it('affect an account and a dataset the requested number of times', async () => {
    const { user_name: account, url } = api.accounts()[0]!;
    api.misbehave({ target: 'dataset', mode: 429, account, dataset: 'reels', times: 1, retry_after_seconds: 7 });
    expect((await post(`dataset_id=${POSTS}${DISCOVER}`, [{ url }])).status).toBe(200);
    expect((await post(`dataset_id=${REELS}${DISCOVER}`, [{ url: accountUrl('business') }])).status).toBe(200);
    const hit = await post(`dataset_id=${REELS}${DISCOVER}`, [{ url }]);
    expect([hit.status, hit.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await hit.text()).toMatch(/^You have too many running jobs/);
    expect((await post(`dataset_id=${REELS}${DISCOVER}`, [{ url }])).status).toBe(200);
    expect(api.switches()).toEqual([]);
  });

  it('make a snapshot fail with status 200', async () => {
    api.misbehave({ target: 'dataset', mode: 'fail_snapshot', message: 'Account is suspended' });
    const id = await start(PROFILES, { url: accountUrl('ordinary') });
    const response = await get(`progress/${id}`);
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'failed', error_message: 'Account is suspended' }),
    ]);
    expect(api.misbehave({ target: 'dataset', mode: 'off' })).toEqual({ status: 200, body: { switches: [] } });
  });

  it.each([{ mode: 'explode' }, { mode: '429', times: 0 }, { mode: '429', dataset: 'tea' }, { mode: '429', typo: 1 }])(
    'that make no sense are refused: %j',
    (body) => {
      expect(api.misbehave({ target: 'dataset', ...body }).status).toBe(400);
    },
  );
});

describe('media', () => {
  async function videoOf(wanted: string, dataset = POSTS): Promise<string> {
    const [record] = await rows(dataset, { url: postUrl(wanted) });
    return (record!['videos'] as string[])[0]!;
  }
  async function streamsOf(url: string): Promise<string[]> {
    const path = join(api.folder, 'probed.mp4');
    await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const { stdout } = await run(
      tool('TEST_FFPROBE'),
      ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', path],
      { cwd: api.folder, env: {}, timeoutMs: 20_000, maxStdoutChars: 10_000 },
    );
    return stdout.trim().split(/\s+/);
  }

  it('are videos with sound, except for the silent one, and pictures', async () => {
    expect(await streamsOf(await videoOf('carousel'))).toEqual(['h264', 'aac']);
    expect(await streamsOf(await videoOf('reel', REELS))).toEqual(['h264', 'aac']);
    expect(await streamsOf(await videoOf('silent', REELS))).toEqual(['h264']);
    const [record] = await rows(POSTS, { url: postUrl('image') });
    for (const link of [(record!['photos'] as string[])[0]!, record!['profile_image_link'] as string]) {
      const picture = await fetch(link);
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(
        Buffer.from(await picture.arrayBuffer())
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
    }
  });

  it('are behind links that expire, and of which no letter can be changed', async () => {
    api.misbehave({ target: 'dataset', mode: 'media_ttl', seconds: 60 });
    const link = await videoOf('video');
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    for (const other of [link.replace('0.mp4', '0.png'), link.replace(/oe=./, 'oe=F'), link.replace(/oh=.*/, '')]) {
      expect((await fetch(other)).status).toBe(403);
    }
    api.resetStats();
    nowMs += 61_000;
    const late = await fetch(link);
    expect([late.status, await late.text()]).toEqual([403, 'URL signature expired']);
    expect(api.stats()).toMatchObject({ media_requests: 1, expired_media_requests: 1 });
    api.behave();
    expect((await fetch(await videoOf('video'))).status).toBe(200);
  });
});
