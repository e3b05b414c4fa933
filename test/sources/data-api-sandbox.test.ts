import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { VideoComment } from '../../contract/kinds/transcript-facts.ts';
import type { CatalogueComment, CatalogueChannel } from '../../local/sandbox/catalogue.ts';
import { StaleCursorError, type DescribedChannel } from '../../sources/vidnet/channel-source.ts';
import { createDataApiChannels } from '../../sources/vidnet/data-api/data-api-channel.ts';
import { createDataApi, type DataApi } from '../../sources/vidnet/data-api/data-api-client.ts';
import { createDataApiComments } from '../../sources/vidnet/data-api/data-api-comments.ts';
import { sourceCall } from '../helpers/data-api.ts';
import { collect, failureOf } from '../helpers/promises.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

let sandbox: TestSandbox;
let api: DataApi;
let channels: ReturnType<typeof createDataApiChannels>;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  const { VIDNET_API_KEY: key = '', VIDNET_API_URL: rootUrl } = sandbox.env;
  api = createDataApi({ key, rootUrl });
  channels = createDataApiChannels(api, {
    channelUrlTemplate: sandbox.env.VIDNET_CHANNEL_URL,
    resolveCustom: () => Promise.reject(new Error('nobody asks for a custom name here')),
  });
}, 120_000);
afterEach(() => sandbox.post('/misbehave', { video: '*', mode: 'off' }));
afterAll(() => sandbox.stop());

async function handleOf(wanted: CatalogueChannel['case']): Promise<string> {
  const index = (await (await fetch(sandbox.url)).json()) as { channels: { url: string; case: string }[] };
  return index.channels
    .find((one) => one.case === wanted)!
    .url.split('/@')
    .at(-1)!;
}

async function describeChannel(wanted: CatalogueChannel['case']): Promise<DescribedChannel> {
  return channels.describe({ kind: 'handle', name: await handleOf(wanted) }, sourceCall());
}

it('describes a channel with every field', async () => {
  const handle = await handleOf('ordinary');
  const video = sandbox.catalogue.find(({ channel }) => channel.handle.toLowerCase() === `@${handle}`)!;
  const { channel } = video;
  const { facts, handle: stated } = await describeChannel('ordinary');
  expect(stated).toBe(channel.handle.toLowerCase());
  expect(facts).toEqual({
    vidnet_id: channel.id,
    title: channel.title,
    description: channel.description,
    url: `${sandbox.url}/channel/${channel.id}`,
    thumbnail: expect.stringMatching(/^http/),
    country: channel.country,
    total_media: expect.any(Number),
    subscriber_count: channel.follower_count,
    total_views: channel.view_count,
    creation_date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  });
  expect(await channels.describe({ kind: 'id', name: channel.id }, sourceCall())).toEqual({ facts, handle: stated });
  const listed = await collect(channels.pages(facts.vidnet_id, undefined, sourceCall()));
  expect(listed.flatMap(({ videos }) => videos)).toHaveLength(facts.total_media!);
});

it('lists a channel of 3,000 videos in 121 requests, and continues from any page', async () => {
  const { facts } = await describeChannel('large');
  const before = (await sandbox.stats())['api_requests']!;
  const pages = await collect(channels.pages(facts.vidnet_id, undefined, sourceCall()));
  expect((await sandbox.stats())['api_requests']! - before).toBe(121);
  const videos = pages.flatMap((page) => page.videos);
  expect(videos).toHaveLength(3000);
  expect(new Set(videos.map(({ vidnet_id }) => vidnet_id)).size).toBe(3000);
  expect(videos.every(({ published_at, duration }) => published_at !== undefined && duration! > 0)).toBe(true);
  const times = videos.map(({ published_at }) => published_at!);
  expect(times).toEqual(times.toSorted().toReversed());

  expect(await collect(channels.pages(facts.vidnet_id, pages[56]!.next, sourceCall()))).toEqual(pages.slice(57));
  expect(await failureOf(collect(channels.pages(facts.vidnet_id, 'b2xk', sourceCall())))).toBeInstanceOf(
    StaleCursorError,
  );
});

it('lists no videos of an empty channel, and fails for a removed one', async () => {
  expect(
    await collect(channels.pages((await describeChannel('empty')).facts.vidnet_id, undefined, sourceCall())),
  ).toEqual([{ videos: [] }]);
  expect(await failureOf(describeChannel('removed'))).toMatchObject({ code: 'removed' });
});

it('reads every comment of a video, each before its replies', async () => {
  const video = sandbox.catalogue.find(({ case: kind }) => kind === 'many_comments')!;
  const flat = (comments: readonly CatalogueComment[]): CatalogueComment[] =>
    comments.flatMap((one) => [one, ...flat(one.replies)]);
  const all = (await collect(createDataApiComments(api).pages(video.id, 100_000, sourceCall()))).flat();
  expect(all.map(({ id }) => id).toSorted()).toEqual(
    flat(video.comments!)
      .map(({ id }) => id)
      .toSorted(),
  );
  const positions = new Map(all.map(({ id }, position) => [id, position]));
  const isAfterItsParent = ({ id, reply_to: replyTo }: VideoComment): boolean =>
    replyTo === undefined || positions.get(replyTo)! < positions.get(id)!;
  expect(all.filter((one) => !isAfterItsParent(one))).toEqual([]);
  const replies = all.filter(({ reply_to: replyTo }) => replyTo !== undefined);
  expect(replies.length).toBeGreaterThan(5);
  for (const [index, reply] of replies.entries()) {
    const before = replies[index - 1];
    if (before?.reply_to === reply.reply_to) expect(before!.published_at! <= reply.published_at!).toBe(true);
  }
  const [first] = all;
  const source = video.comments!.find(({ id }) => id === first!.id)!;
  expect(first).toMatchObject({
    text: source.text,
    author: source.author,
    author_id: source.authorChannelId,
    likes: source.like_count,
  });

  const some = (await collect(createDataApiComments(api).pages(video.id, 7, sourceCall()))).flat();
  expect(some).toEqual(all.slice(0, 7));
});

it('distinguishes disabled comments from a removed video', async () => {
  const comments = createDataApiComments(api);
  expect(await collect(comments.pages(sandbox.idOf('comments_off'), 100, sourceCall()))).toEqual([]);
  expect(await failureOf(collect(comments.pages(sandbox.idOf('removed'), 100, sourceCall())))).toMatchObject({
    code: 'removed',
  });
});

it.each([
  ['quota', {}, 'quota_exceeded', true],
  ['rate', { retry_after_seconds: 30 }, 'rate_limited', true],
  ['429', {}, 'rate_limited', false],
  ['500', {}, 'upstream_error', false],
])('understands %s', async (mode, more, code, hasTime) => {
  await sandbox.post('/misbehave', { video: '*', target: 'api', mode, ...more });
  const failure = await failureOf(channels.describe({ kind: 'handle', name: 'x' }, sourceCall()));
  expect(failure).toMatchObject({ code, retryAtMs: hasTime ? expect.any(Number) : undefined });
});

it('fails after the timeout of its call', async () => {
  await sandbox.post('/misbehave', { video: '*', target: 'api', mode: 'hang' });
  const failure = await failureOf(channels.describe({ kind: 'handle', name: 'x' }, sourceCall({ timeoutMs: 200 })));
  expect(failure).toMatchObject({ code: 'upstream_timeout' });
});

it('names the setting when the key is wrong', async () => {
  const other = createDataApiComments(createDataApi({ key: 'stolen', rootUrl: sandbox.env.VIDNET_API_URL }));
  const failure = await failureOf(collect(other.pages(sandbox.idOf('ordinary'), 1, sourceCall())));
  expect(failure).toMatchObject({ code: 'tool_missing', message: expect.stringContaining('VIDNET_API_KEY') });
});
