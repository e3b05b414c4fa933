import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelReference } from '../../contract/urls/channel-urls.ts';
import { StaleCursorError, type ChannelSource } from '../../sources/vidnet/channel-source.ts';
import { createDataApiChannels } from '../../sources/vidnet/data-api/data-api-channel.ts';
import { refuse, sourceCall, startDataApi, type Answering, type DataApiStandIn } from '../helpers/data-api.ts';
import { collect, failureOf } from '../helpers/promises.ts';

const ID = 'UCaaaaaaaaaaaaaaaaaaaaaa';
const standIns: DataApiStandIn[] = [];

afterEach(async () => {
  await Promise.all(standIns.splice(0).map((one) => one.stop()));
});

async function source(answer: Answering): Promise<ChannelSource & Pick<DataApiStandIn, 'requests'>> {
  const one = await startDataApi(answer);
  standIns.push(one);
  const channels = createDataApiChannels(one.api, {
    channelUrlTemplate: 'https://page.example/{path}',
    resolveCustom: ({ name }) => Promise.resolve(`UC-of-${name}`),
  });
  return { ...channels, requests: one.requests };
}

function channelList(...items: readonly unknown[]): unknown {
  return { kind: 'youtube#channelListResponse', etag: 'x', pageInfo: { totalResults: items.length }, items };
}

const image = (url: string, width?: number, height?: number): unknown => ({ url, width, height });

const FULL = {
  kind: 'youtube#channel',
  id: ID,
  snippet: {
    title: 'A channel',
    description: 'About bridges.\nAnd tea.',
    customUrl: '@Bridges',
    publishedAt: '2011-02-03T04:05:06.789Z',
    country: 'PT',
    localized: { title: 'A channel' },
    thumbnails: {
      default: image('https://i.example/88', 88, 88),
      high: image('https://i.example/800', 800, 800),
      medium: image('https://i.example/240', 240, 240),
    },
  },
  statistics: { viewCount: '9007199254', subscriberCount: '1230000', hiddenSubscriberCount: false, videoCount: '42' },
  brandingSettings: { channel: { title: 'A channel', country: 'PT' } },
};

describe('a channel is described', () => {
  it('with all fields of the Data API', async () => {
    const channels = await source(() => channelList(FULL));
    await expect(channels.describe({ kind: 'id', name: ID }, sourceCall())).resolves.toEqual({
      facts: {
        vidnet_id: ID,
        title: 'A channel',
        description: 'About bridges.\nAnd tea.',
        url: `https://page.example/channel/${ID}`,
        thumbnail: 'https://i.example/800',
        country: 'PT',
        total_media: 42,
        subscriber_count: 1_230_000,
        total_views: 9_007_199_254,
        creation_date: '2011-02-03 04:05:06',
      },
      handle: '@bridges',
    });
  });

  it.each<[ChannelReference, Record<string, string>]>([
    [{ kind: 'id', name: ID }, { id: ID }],
    [{ kind: 'handle', name: 'bridges' }, { forHandle: '@bridges' }],
    [{ kind: 'user', name: 'bridgesandtea' }, { forUsername: 'bridgesandtea' }],
    [{ kind: 'custom', name: 'tea' }, { id: 'UC-of-tea' }],
  ])('when it is named as %j', async (reference, expected) => {
    const channels = await source(() => channelList(FULL));
    await channels.describe(reference, sourceCall());
    expect(channels.requests).toHaveLength(1);
    const { key, part, ...filter } = Object.fromEntries(channels.requests[0]!.params);
    expect(filter).toEqual(expected);
    expect([key, part]).not.toContain(undefined);
  });

  it('without fields that are hidden or invalid', async () => {
    const bare = { facts: { vidnet_id: ID, title: '', url: `https://page.example/channel/${ID}` } };
    const odd = [
      { id: ID, snippet: { title: '' } },
      { id: ID, snippet: { title: '', description: '', customUrl: 'oldname', country: null, thumbnails: {} } },
      { id: ID, snippet: { title: '', publishedAt: 'long ago', country: 'Portugal', thumbnails: 7 }, statistics: null },
      {
        id: ID,
        snippet: { title: '', thumbnails: { default: { url: 'javascript:alert(1)' }, high: 'x' } },
        statistics: { viewCount: 'many', subscriberCount: '0', hiddenSubscriberCount: true, videoCount: '-1' },
        brandingSettings: [],
      },
    ];
    for (const item of odd) {
      const channels = await source(() => channelList(item));
      await expect(channels.describe({ kind: 'id', name: ID }, sourceCall())).resolves.toEqual(bare);
    }
  });

  it('with the country of its branding, and with the thumbnail of the best name when no sizes are stated', async () => {
    const channels = await source(() =>
      channelList({
        id: ID,
        snippet: {
          title: 'x',
          thumbnails: { high: image('https://i.example/h'), default: image('https://i.example/d') },
        },
        brandingSettings: { channel: { country: 'CH' } },
      }),
    );
    await expect(channels.describe({ kind: 'id', name: ID }, sourceCall())).resolves.toMatchObject({
      facts: { country: 'CH', thumbnail: 'https://i.example/h' },
    });
  });

  it.each([
    ['no items', { kind: 'youtube#channelListResponse', pageInfo: { totalResults: 0 } }],
    ['an empty list', channelList()],
  ])('as removed when there are %s', async (_what, answer) => {
    const channels = await source(() => answer);
    expect(await failureOf(channels.describe({ kind: 'handle', name: 'x' }, sourceCall()))).toMatchObject({
      code: 'removed',
      message: 'The channel was removed or does not exist.',
    });
  });
});

const UPLOADS = channelList({ id: ID, contentDetails: { relatedPlaylists: { likes: '', uploads: 'UUx' } } });

interface Item {
  readonly id: string;
  readonly duration?: string;
}

/** A playlist of these pages; `videos.list` knows the items that have a duration, in an order of its own. */
function playlist(pages: readonly (readonly Item[])[]): Answering {
  return (method, params) => {
    if (method === 'channels') return UPLOADS;
    if (method === 'videos') {
      const ids = params.getAll('id').flatMap((list) => list.split(','));
      const items = pages.flat().filter(({ id, duration }) => ids.includes(id) && duration !== undefined);
      return {
        kind: 'youtube#videoListResponse',
        items: items.toReversed().map(({ id, duration }) => ({ id, contentDetails: { duration } })),
      };
    }
    const page = Number(params.get('pageToken') ?? 0);
    return {
      kind: 'youtube#playlistItemListResponse',
      ...(page + 1 < pages.length ? { nextPageToken: String(page + 1) } : {}),
      items: pages[page]!.map(({ id }) => ({
        snippet: {
          title: `Title of ${id}`,
          publishedAt: '2020-01-01T00:00:00Z',
          thumbnails: {
            default: image('https://i.example/d', 120, 90),
            maxres: image(`https://i.example/${id}`, 1280, 720),
          },
        },
        contentDetails: { videoId: id, videoPublishedAt: '2019-05-06T07:08:09Z' },
      })),
    };
  };
}

describe('the list of a channel', () => {
  it('has the order of the platform, with the time of publication and the duration of each video', async () => {
    const channels = await source(
      playlist([
        [
          { id: 'c', duration: 'PT1H2M3S' },
          { id: 'b', duration: 'PT59S' },
        ],
        [{ id: 'a', duration: 'P1DT1S' }],
      ]),
    );
    const video = (id: string, duration: number): unknown => ({
      vidnet_id: id,
      title: `Title of ${id}`,
      thumbnail: `https://i.example/${id}`,
      published_at: '2019-05-06 07:08:09',
      duration,
    });
    expect(await collect(channels.pages(ID, undefined, sourceCall()))).toEqual([
      { videos: [video('c', 3723), video('b', 59)], next: '1' },
      { videos: [video('a', 86_401)] },
    ]);
    expect(channels.requests.map(({ method }) => method)).toEqual([
      'channels',
      'playlistItems',
      'videos',
      'playlistItems',
      'videos',
    ]);
    expect(channels.requests[1]!.params.get('maxResults')).toBe('50');
    expect(channels.requests[2]!.params.getAll('id')).toEqual(['c,b']);
  });

  it('continues from a cursor', async () => {
    const channels = await source(playlist([[{ id: 'b', duration: 'PT1S' }], [{ id: 'a', duration: 'PT1S' }]]));
    const pages = await collect(channels.pages(ID, '1', sourceCall()));
    expect(pages.map(({ videos }) => videos.map(({ vidnet_id }) => vidnet_id))).toEqual([['a']]);
  });

  it('requests a page only when the consumer needs it', async () => {
    const channels = await source(playlist([[{ id: 'b', duration: 'PT1S' }], [{ id: 'a', duration: 'PT1S' }]]));
    for await (const page of channels.pages(ID, undefined, sourceCall())) {
      expect(page.next).toBe('1');
      break;
    }
    expect(channels.requests.map(({ method }) => method)).toEqual(['channels', 'playlistItems', 'videos']);
  });

  it('omits videos that are not public, and keeps the stated duration of a broadcast', async () => {
    const channels = await source(
      playlist([
        [
          { id: 'private' },
          { id: 'live', duration: 'P0D' },
          { id: 'soon', duration: 'PT0S' },
          { id: 'a', duration: 'PT4M' },
        ],
      ]),
    );
    const [page] = await collect(channels.pages(ID, undefined, sourceCall()));
    expect(page!.videos.map(({ vidnet_id, duration }) => [vidnet_id, duration])).toEqual([
      ['live', 0],
      ['soon', 0],
      ['a', 240],
    ]);
  });

  it('continues after a page with only private videos', async () => {
    const channels = await source(playlist([[{ id: 'p' }], [{ id: 'a', duration: 'PT1S' }]]));
    expect(await collect(channels.pages(ID, undefined, sourceCall()))).toMatchObject([
      { videos: [], next: '1' },
      { videos: [{ vidnet_id: 'a' }] },
    ]);
  });

  it.each<[string, Answering]>([
    ['a playlist without items', playlist([[]])],
    [
      'a playlist that is not there',
      (method, _params, res) =>
        method === 'channels'
          ? UPLOADS
          : refuse(res, 404, { errors: [{ domain: 'youtube.playlistItem', reason: 'playlistNotFound' }] }),
    ],
    ['no playlist', () => channelList({ id: ID, contentDetails: { relatedPlaylists: { uploads: '' } } })],
  ])('is empty for %s', async (_what, answer) => {
    const channels = await source(answer);
    expect(await collect(channels.pages(ID, undefined, sourceCall()))).toEqual([{ videos: [] }]);
    expect(channels.requests.map(({ method }) => method)).not.toContain('videos');
  });

  it('fails with StaleCursorError when the platform no longer knows the cursor', async () => {
    const channels = await source((method, _params, res) =>
      method === 'channels'
        ? UPLOADS
        : refuse(res, 400, { errors: [{ domain: 'youtube.parameter', reason: 'invalidPageToken' }] }),
    );
    expect(await failureOf(collect(channels.pages(ID, 'old', sourceCall())))).toBeInstanceOf(StaleCursorError);
    // At the beginning there is no cursor that could be old.
    expect(await failureOf(collect(channels.pages(ID, undefined, sourceCall())))).toMatchObject({
      code: 'upstream_error',
    });
  });

  it('fails when a page names itself as the next one', async () => {
    const channels = await source((method) => {
      if (method === 'channels') return UPLOADS;
      return { kind: 'youtube#playlistItemListResponse', items: [], nextPageToken: 'same' };
    });
    expect(await failureOf(collect(channels.pages(ID, undefined, sourceCall())))).toMatchObject({
      code: 'upstream_error',
    });
  });

  it('fails instead of being empty when the answer is invalid', async () => {
    for (const item of [
      { id: ID },
      { id: ID, contentDetails: {} },
      { id: ID, contentDetails: { relatedPlaylists: { uploads: 7 } } },
    ]) {
      const channels = await source(() => channelList(item));
      expect(await failureOf(collect(channels.pages(ID, undefined, sourceCall())))).toMatchObject({
        code: 'upstream_error',
      });
    }
  });

  it('fails as removed when the channel no longer exists', async () => {
    const channels = await source(() => channelList());
    expect(await failureOf(collect(channels.pages(ID, undefined, sourceCall())))).toMatchObject({ code: 'removed' });
  });
});
