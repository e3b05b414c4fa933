import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChannelReference } from '../../contract/urls/channel-urls.ts';
import type { ChannelPage, DescribedChannel } from '../../sources/vidnet/channel-source.ts';
import { createYtdlpChannels } from '../../sources/vidnet/yt-dlp/yt-dlp-channel.ts';
import { listPages } from '../../sources/vidnet/yt-dlp/yt-dlp-flat-list.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { collect } from '../helpers/promises.ts';
import { isLong, rows } from '../helpers/rows.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

let site: RecordedSite;
let sandbox: TestSandbox;
let onSandbox: YtdlpSettings;

beforeAll(async () => {
  site = await RecordedSite.start();
  // Names as the catalogue has them.
  sandbox = await startTestSandbox({ idSalt: undefined });
  onSandbox = site.settings({
    channelUrlTemplate: `${sandbox.url}/{path}`,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
  });
});
afterAll(async () => {
  await sandbox.stop();
  await site.stop();
});

const describeIt = (from: YtdlpSettings, reference: ChannelReference): Promise<DescribedChannel> =>
  inFolder((call) => createYtdlpChannels(from).describe(reference, call));
/** The id of a channel of the sandbox. */
const idOf = async (name: string): Promise<string> => {
  const { channel } = (await (await fetch(`${sandbox.url}/@${name}`)).json()) as { channel: { id: string } };
  return channel.id;
};
const pagesOf = (from: YtdlpSettings, channelId: string, cursor?: string): Promise<ChannelPage[]> =>
  inFolder((call) => collect(createYtdlpChannels(from).pages(channelId, cursor, call)));
const idsOf = (pages: readonly ChannelPage[]): string[] =>
  pages.flatMap(({ videos }) => videos).map((v) => v.vidnet_id);

describe('a channel of the sandbox', () => {
  it.each(
    rows(
      [{ kind: 'custom', name: 'EveningTalks' }],
      [
        { kind: 'handle', name: 'evening-talks' },
        { kind: 'user', name: 'eveningtalks1' },
      ],
    ),
  )('is described by $kind, with the facts of yt-dlp and no others', async (reference) => {
    const { facts, handle } = await describeIt(onSandbox, reference);
    expect(handle).toBe('@evening-talks');
    expect(facts).toEqual({
      vidnet_id: expect.stringMatching(/^UC[\w-]{22}$/),
      title: 'Evening Talks',
      description: 'Two people, one subject, a quarter of a cup of tea.',
      url: `${sandbox.url}/channel/${facts.vidnet_id}`,
      thumbnail: expect.stringContaining(sandbox.url),
      subscriber_count: 1840,
    });
    expect(await describeIt(onSandbox, { kind: 'id', name: facts.vidnet_id })).toEqual({ facts, handle });
  });

  it('lists its videos with durations and without guessed times, and marks the last page', async () => {
    const channelId = await idOf('evening-talks');
    const approximate = { ...onSandbox, extractorArgs: 'youtubetab:approximate_date' };
    const [page, ...rest] = await pagesOf(approximate, channelId);
    expect(rest).toEqual([]);
    expect(page).not.toHaveProperty('next');
    const tea = page!.videos.find(({ title }) => title === 'How long should tea brew?');
    expect(tea).toEqual({
      vidnet_id: sandbox.idOf('ordinary'),
      title: 'How long should tea brew?',
      thumbnail: expect.stringContaining(sandbox.url),
      duration: 29,
    });
  });

  it('without videos has one empty page', async () => {
    const channelId = await idOf('soon-more');
    expect(await pagesOf(onSandbox, channelId)).toEqual([{ videos: [] }]);
  });

  it.each(rows(['never-was'], ['gone-away']))(
    'that is not there fails as removed, and speaks of a channel: %s',
    async (name) => {
      await expect(describeIt(onSandbox, { kind: 'handle', name })).rejects.toMatchObject({
        code: 'removed',
        message: 'The channel was removed or does not exist.',
      });
    },
  );

  it('ends its process when the consumer stops early', async () => {
    const channelId = await idOf('weather-notes');
    const before = (await sandbox.stats())['page_reads'] ?? 0;
    await inFolder(async (call) => {
      for await (const page of createYtdlpChannels(onSandbox).pages(channelId, undefined, call)) {
        expect(page.videos).toHaveLength(100);
        break;
      }
    });
    const reads = ((await sandbox.stats())['page_reads'] ?? 0) - before;
    expect(reads).toBeLessThan(100);
  });

  it('fails instead of ending early when the upstream refuses a page', async () => {
    const channelId = await idOf('weather-notes');
    const pages: ChannelPage[] = [];
    const reading = inFolder(async (call) => {
      for await (const page of createYtdlpChannels(onSandbox).pages(channelId, undefined, call)) {
        if (pages.length === 0) await sandbox.post('/misbehave', { video: '*', target: 'page', mode: '429' });
        pages.push(page);
      }
    });
    await expect(reading).rejects.toMatchObject({ code: 'rate_limited' });
    await sandbox.post('/misbehave', { video: '*', mode: 'off' });
    expect(pages.every(({ next }) => next !== undefined)).toBe(true);
  });
});

if (isLong()) {
  it('lists 3,000 videos once each in pages, and continues from a cursor', async () => {
    const channelId = await idOf('weather-notes');
    const pages = await pagesOf(onSandbox, channelId);
    expect(pages.map(({ videos }) => videos.length)).toEqual(Array.from({ length: 30 }, () => 100));
    const ids = idsOf(pages);
    expect(new Set(ids).size).toBe(3_000);
    expect(pages.at(-1)).not.toHaveProperty('next');
    expect(idsOf(await pagesOf(onSandbox, channelId, pages[27]!.next))).toEqual(ids.slice(2_800));
  }, 120_000);
}

describe('a channel of recorded shapes', () => {
  const entry = (id: string, more: object = {}): object => ({
    ...{ _type: 'url', ie_key: 'Youtube', id, url: `https://www.youtube.com/watch?v=${id}`, title: `Title ${id}` },
    ...more,
  });
  const tab = (name: string, entries: object[]): object => ({
    ...{
      _type: 'playlist',
      id: 'UCx',
      title: `X - ${name}`,
      webpage_url: `https://www.youtube.com/@x/${name}`,
      entries,
    },
  });
  const channel = (entries: object[], more: object = {}): void =>
    site.set('/recorded/channel/UCx', { body: { _type: 'playlist', id: 'UCx', title: 'X', entries, ...more } });

  it('lists 250 videos once each in pages, and continues from a cursor', async () => {
    channel([
      tab(
        'videos',
        Array.from({ length: 250 }, (_, index) => entry(`v${String(index)}`)),
      ),
    ]);
    const pages = await pagesOf(site.settings(), 'UCx');
    expect(pages.map(({ videos }) => videos.length)).toEqual([100, 100, 50]);
    const ids = idsOf(pages);
    expect(new Set(ids).size).toBe(250);
    expect(pages.at(-1)).not.toHaveProperty('next');
    expect(idsOf(await pagesOf(site.settings(), 'UCx', pages[1]!.next))).toEqual(ids.slice(200));
  });

  it('lists the videos of all tabs once each', async () => {
    channel([
      tab('videos', [entry('v2', { duration: 12.6 }), entry('v1')]),
      tab('streams', [entry('s1'), entry('v1')]),
      tab('shorts', [
        entry('k1', {
          thumbnails: [
            { url: 'https://i.example/big.jpg', width: 720, height: 404 },
            { url: 'https://i.example/small.jpg', width: 168, height: 94 },
          ],
        }),
      ]),
    ]);
    const pages = await pagesOf(site.settings(), 'UCx');
    expect(idsOf(pages)).toEqual(['v2', 'v1', 's1', 'k1']);
    expect(pages[0]!.videos[0]).toEqual({ vidnet_id: 'v2', title: 'Title v2', duration: 13 });
    expect(pages[0]!.videos[3]).toMatchObject({ thumbnail: 'https://i.example/big.jpg' });
  });

  it.each(
    rows(
      [['Incomplete data received', 'incomplete']],
      [['Unable to download API page: HTTP Error 403: Forbidden', 'upstream_error']],
    ),
  )('does not end as if it were whole: %s', async (error, code) => {
    channel([entry('v1'), entry('v2')], { then_fails: error });
    await expect(pagesOf(site.settings(), 'UCx')).rejects.toMatchObject({ code });
  });

  it('ignores counts of tabs and lists, and uses its avatar instead of its banner', async () => {
    channel([tab('videos', []), tab('shorts', [])], {
      ...{ channel: 'X', channel_id: 'UCx', channel_follower_count: 1_230, uploader_id: '@ExAmple' },
      ...{ channel_url: 'https://www.youtube.com/channel/UCx', playlist_count: 2, view_count: 5, description: '' },
      thumbnails: [
        { url: 'https://i.example/s900', width: 900, height: 900 },
        { url: 'https://i.example/avatar=s0', id: 'avatar_uncropped', preference: 1 },
        { url: 'https://i.example/banner', width: 2_560, height: 424, preference: -10 },
      ],
    });
    expect(await describeIt(site.settings(), { kind: 'id', name: 'UCx' })).toEqual({
      facts: {
        vidnet_id: 'UCx',
        title: 'X',
        url: 'https://www.youtube.com/channel/UCx',
        thumbnail: 'https://i.example/avatar=s0',
        subscriber_count: 1_230,
      },
      handle: '@example',
    });
  });

  it('rejects a cursor of another source', async () => {
    await expect(pagesOf(site.settings(), 'UCx', 'EAAaHlBUOkNESWlFRFk')).rejects.toMatchObject({
      name: 'StaleCursorError',
    });
  });

  it('ends when its signal is aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const reading = inFolder((call) => collect(createYtdlpChannels(site.settings()).pages('UCx', undefined, call)), {
      signal: stop.signal,
    });
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('a list that has changed since its cursor', () => {
  const list = async function* (ids: string): AsyncGenerator<{ readonly id: string }> {
    for (const id of ids) yield await Promise.resolve({ id });
  };
  const idsAfter = async (ids: string): Promise<string> =>
    (await collect(listPages(list(ids), 'c'))).flatMap(({ entries }) => entries.map(({ id }) => id)).join('');
  it.each([
    ['as it was', 'abcdefg', 'defg'],
    ['with new ones at the front', 'XYabcdefg', 'defg'],
    ['with one gone before', 'bcdefg', 'defg'],
    ['with repeated ones', 'abacdbefg', 'defg'],
    ['when nothing follows', 'abc', ''],
  ])('goes on, %s', async (_, ids, rest) => {
    expect(await idsAfter(ids)).toBe(rest);
  });

  it('begins again when its cursor is gone', async () => {
    await expect(idsAfter('abdefg')).rejects.toMatchObject({ name: 'StaleCursorError' });
  });
});
