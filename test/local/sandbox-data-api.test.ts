import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { VideoCase } from '../../local/sandbox/catalogue.ts';
import type { StatsSnapshot } from '../../local/sandbox/stats.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

interface Item {
  readonly id: string;
  readonly snippet: Record<string, unknown>;
  readonly statistics: Record<string, unknown>;
  readonly contentDetails: Record<string, unknown>;
  readonly replies?: { readonly comments: readonly Item[] };
}

interface Body {
  readonly items?: readonly Item[];
  readonly nextPageToken?: string;
  readonly prevPageToken?: string;
  readonly pageInfo: { readonly totalResults: number; readonly resultsPerPage: number };
  readonly error: { readonly code: number; readonly status?: string; readonly errors: readonly { reason: string }[] };
}

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterEach(() => sandbox.post('/misbehave', { video: '*', mode: 'off' }));
afterAll(() => sandbox.stop());

async function ask(method: string, params: Record<string, string>, init?: RequestInit): Promise<Response> {
  const query = new URLSearchParams({ part: 'snippet', key: 'sandbox-key', ...params });
  return fetch(`${sandbox.env.VIDNET_API_URL}youtube/v3/${method}?${query.toString()}`, init);
}

const read = async (method: string, params: Record<string, string>): Promise<Body> =>
  (await (await ask(method, params)).json()) as Body;

async function refusal(method: string, params: Record<string, string>): Promise<[number, string | undefined]> {
  const response = await ask(method, params);
  const { error } = (await response.json()) as Body;
  expect(error.code).toBe(response.status);
  return [response.status, error.errors[0]?.reason];
}

/** All pages of a list. */
async function readAll(method: string, params: Record<string, string>): Promise<Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  do {
    const body = await read(method, { ...params, ...(token === undefined ? {} : { pageToken: token }) });
    items.push(...(body.items ?? []));
    token = body.nextPageToken;
  } while (token !== undefined);
  return items;
}

const video = (wanted: VideoCase) => sandbox.catalogue.find((one) => one.case === wanted)!;
async function handleOf(wanted: string): Promise<string> {
  const { channels } = (await (await fetch(sandbox.url)).json()) as { channels: { url: string; case: string }[] };
  return channels
    .find((one) => one.case === wanted)!
    .url.split('/')
    .at(-1)!;
}
async function uploadsOf(wanted: string): Promise<string> {
  const { items } = await read('channels', { part: 'contentDetails', forHandle: await handleOf(wanted) });
  return (items![0]!.contentDetails['relatedPlaylists'] as { uploads: string }).uploads;
}

describe('keys and parameters', () => {
  it('require the parameters of the real API', async () => {
    const { channel } = video('ordinary');
    expect(await refusal('channels', { key: '', id: channel.id })).toEqual([403, 'forbidden']);
    expect(await refusal('channels', { key: 'another', id: channel.id })).toEqual([400, 'badRequest']);
    const inHeader = { headers: { 'x-goog-api-key': 'sandbox-key' } };
    expect((await ask('channels', { key: '', id: channel.id }, inHeader)).status).toBe(200);
  });

  it.each([
    ['channels', { part: '', id: 'x' }, 400, 'missingRequiredParameter'],
    ['channels', {}, 400, 'missingRequiredParameter'],
    ['videos', {}, 400, 'missingRequiredParameter'],
    ['videos', { id: Array.from({ length: 51 }, (_, n) => String(n)).join() }, 400, 'invalidFilters'],
    ['playlistItems', { playlistId: 'UUnobody' }, 404, 'playlistNotFound'],
    ['playlistItems', { playlistId: 'x', maxResults: '51' }, 400, 'invalidParameter'],
    ['commentThreads', { videoId: 'nobody' }, 404, 'videoNotFound'],
    ['comments', { parentId: 'nobody' }, 404, 'commentNotFound'],
    ['search', { q: 'tea' }, 404, 'notFound'],
  ] as const)('%s %j is refused', async (method, params, status, reason) => {
    expect(await refusal(method, params)).toEqual([status, reason]);
  });
});

describe('channels', () => {
  const part = 'snippet,statistics,contentDetails,brandingSettings';

  it('are found by id, handle and name, with numbers as strings', async () => {
    const { channel } = video('ordinary');
    const filters = [
      { id: channel.id },
      { forHandle: channel.handle },
      { forHandle: channel.handle.slice(1).toUpperCase() },
      { forUsername: channel.user_name! },
    ];
    for (const filter of filters) {
      const { items, pageInfo } = await read('channels', { part, ...filter });
      expect(pageInfo.totalResults).toBe(1);
      expect(items![0]).toMatchObject({
        kind: 'youtube#channel',
        id: channel.id,
        snippet: {
          title: 'Evening Talks',
          country: 'IE',
          publishedAt: '2019-09-05T10:20:30Z',
          customUrl: channel.handle,
        },
        statistics: { viewCount: '418205', subscriberCount: '1840', hiddenSubscriberCount: false },
        contentDetails: { relatedPlaylists: { uploads: channel.id.replace('UC', 'UU') } },
        brandingSettings: { channel: { country: 'IE' } },
      });
    }
  });

  it('come several at a time, and only the requested parts', async () => {
    const { items } = await read('channels', { part: 'id', id: `${video('ordinary').channel.id},UCnobody` });
    expect(items!.map((one) => Object.keys(one))).toEqual([['kind', 'etag', 'id']]);
  });

  it('that hide their subscribers say so, with rounded numbers elsewhere', async () => {
    const statistics = async (wanted: string) =>
      (await read('channels', { part, forHandle: await handleOf(wanted) })).items![0]!.statistics;
    expect(await statistics('empty')).toEqual({ viewCount: '0', hiddenSubscriberCount: true, videoCount: '0' });
    expect(await statistics('large')).toMatchObject({ subscriberCount: '1230000', videoCount: '3000' });
  });

  it('that are gone leave no items behind', async () => {
    const body = await read('channels', { part, forHandle: await handleOf('removed') });
    expect(body).not.toHaveProperty('items');
    expect(body.pageInfo.totalResults).toBe(0);
  });
});

describe('uploads', () => {
  it('come page by page, newest first, each once', async () => {
    await sandbox.post('/stats/reset', {});
    const items = await readAll('playlistItems', {
      part: 'contentDetails,snippet',
      playlistId: await uploadsOf('large'),
      maxResults: '50',
    });
    expect(items).toHaveLength(3000);
    expect(new Set(items.map((one) => one.contentDetails['videoId'])).size).toBe(3000);
    const times = items.map((one) => one.contentDetails['videoPublishedAt'] as string);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(times).size).toBe(3000);
    expect(items.map((one) => one.snippet['position'])).toEqual(items.map((_, index) => index));
    const { api, channels, totals } = (await (await fetch(`${sandbox.url}/stats`)).json()) as StatsSnapshot;
    expect(api).toEqual({ channels: 1, playlistItems: 60 });
    expect(totals.api_requests).toBe(61);
    const positions = Array.from({ length: 60 }, (_, n) => [String(n * 50), 1]);
    expect(Object.values(channels)[0]!.playlist_items).toEqual(Object.fromEntries(positions));
  });

  it('have 5 items on a page by default, and a previous page', async () => {
    const playlistId = await uploadsOf('ordinary');
    const first = await read('playlistItems', { playlistId });
    expect(first.items).toHaveLength(5);
    expect(first).not.toHaveProperty('prevPageToken');
    const second = await read('playlistItems', { playlistId, pageToken: first.nextPageToken! });
    const back = await read('playlistItems', { playlistId, pageToken: second.prevPageToken! });
    expect(back.items!.map((one) => one.id)).toEqual(first.items!.map((one) => one.id));
    const other = { playlistId: await uploadsOf('large'), pageToken: first.nextPageToken! };
    expect(await refusal('playlistItems', other)).toEqual([400, 'invalidPageToken']);
  });

  it('of a channel that never uploaded are no playlist', async () => {
    expect(await refusal('playlistItems', { playlistId: await uploadsOf('empty') })).toEqual([404, 'playlistNotFound']);
  });
});

describe('videos', () => {
  const part = 'snippet,contentDetails,statistics,status,liveStreamingDetails';

  it('come in a batch, without what is private or gone', async () => {
    const wanted = ['ordinary', 'long', 'private', 'removed', 'hd720', 'live', 'comments_off', 'geo_blocked'] as const;
    const { items } = await read('videos', { part, id: wanted.map((one) => video(one).id).join() });
    const byId = new Map(items!.map((one) => [one.id, one]));
    expect(byId.size).toBe(wanted.length - 2);
    expect(byId.get(video('ordinary').id)).toMatchObject({
      snippet: { publishedAt: '2026-03-14T18:00:00Z', liveBroadcastContent: 'none', tags: ['tea', 'kitchen'] },
      contentDetails: { duration: 'PT29S', caption: 'true', definition: 'hd' },
      statistics: { viewCount: '5210', likeCount: '312', commentCount: '7' },
      status: { privacyStatus: 'public' },
    });
    expect(byId.get(video('long').id)!.contentDetails['duration']).toBe('PT1H');
    expect(byId.get(video('live').id)!.contentDetails['duration']).toBe('P0D');
    expect(byId.get(video('hd720').id)!.statistics).not.toHaveProperty('likeCount');
    expect(byId.get(video('comments_off').id)!.statistics).not.toHaveProperty('commentCount');
    expect(byId.get(video('geo_blocked').id)!.contentDetails).toMatchObject({
      duration: 'PT1M1S',
      regionRestriction: { allowed: ['IS', 'NZ'] },
    });
  });
});

describe('comments', () => {
  it('come in threads with at most 5 answers, the rest by parent', async () => {
    const { id } = sandbox.catalogue.find((one) => one.title.startsWith('The new bridge opens'))!;
    const { items } = await read('commentThreads', { part: 'snippet,replies', videoId: id });
    expect(items![0]!.snippet['totalReplyCount']).toBe(7);
    expect(items![0]!.replies!.comments).toHaveLength(5);
    const answers = await readAll('comments', { parentId: items![0]!.id, maxResults: '2' });
    expect(answers.map((one) => one.snippet['textOriginal'])).toEqual(
      [7, 6, 5, 4, 3, 2, 1].map((n) => `Me too, number ${String(n)}.`),
    );
    expect(answers[0]!.snippet['parentId']).toBe(items![0]!.id);
  });

  it('are HTML unless plain text is requested, and keep replies to replies in their thread', async () => {
    const videoId = video('ordinary').id;
    const texts = async (textFormat: string): Promise<unknown[]> =>
      (await read('commentThreads', { videoId, textFormat })).items!.map(
        (one) => (one.snippet['topLevelComment'] as Item).snippet['textDisplay'],
      );
    expect((await texts('html'))[0]).toContain('stand.<br>The best answer');
    expect((await texts('html'))[1]).toContain('&quot;Eighty degrees&quot; &lt;- finally');
    expect((await texts('plainText'))[0]).toContain('stand.\nThe best answer');
    const { items } = await read('commentThreads', { part: 'replies', videoId });
    const parents = items![0]!.replies!.comments.map((one) => one.snippet['parentId']);
    expect(parents).toEqual([items![0]!.id, items![0]!.id, items![0]!.id]);
  });

  it('are many on one video, and off on another', async () => {
    const videoId = video('many_comments').id;
    const threads = await readAll('commentThreads', { videoId, maxResults: '100', order: 'time' });
    const answers = threads.reduce((sum, one) => sum + (one.snippet['totalReplyCount'] as number), 0);
    expect(threads.length + answers).toBe(450);
    expect(new Set(threads.map((one) => one.id)).size).toBe(threads.length);
    expect(await refusal('commentThreads', { videoId: video('comments_off').id })).toEqual([403, 'commentsDisabled']);
  });
});

describe('switches', () => {
  it.each([
    ['quota', 403, 'quotaExceeded'],
    ['rate', 403, 'rateLimitExceeded'],
    ['429', 429, 'rateLimitExceeded'],
    ['500', 500, 'backendError'],
  ])('%s', async (mode, status, reason) => {
    await sandbox.post('/misbehave', { video: '*', target: 'api', mode, times: 1, retry_after_seconds: 3 });
    const response = await ask('videos', { id: 'x' });
    expect(response.headers.get('retry-after')).toBe('3');
    expect(((await response.json()) as Body).error.errors[0]!.reason).toBe(reason);
    expect(response.status).toBe(status);
    expect((await ask('videos', { id: 'x' })).status).toBe(200);
  });

  it('hang', async () => {
    await sandbox.post('/misbehave', { video: '*', target: 'api', mode: 'hang' });
    await expect(ask('videos', { id: 'x' }, { signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/i);
  });

  it('leave the pages alone, and are refused where they make no sense', async () => {
    await sandbox.post('/misbehave', { video: '*', target: 'api', mode: 'quota' });
    expect((await fetch(`${sandbox.url}/watch?v=${video('ordinary').id}`)).status).toBe(200);
    for (const body of [
      { video: '*', target: 'page', mode: 'quota' },
      { video: '*', target: 'api', mode: 'cut' },
      { video: video('ordinary').id, target: 'api', mode: '429' },
    ]) {
      expect((await sandbox.post('/misbehave', body)).status, JSON.stringify(body)).toBe(400);
    }
  });
});
