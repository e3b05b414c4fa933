import { afterEach, describe, expect, it } from 'vitest';
import type { VideoComment } from '../../contract/kinds/transcript-facts.ts';
import { createDataApiComments } from '../../sources/vidnet/data-api/data-api-comments.ts';
import { refuse, sourceCall, startDataApi, type Answering, type DataApiStandIn } from '../helpers/data-api.ts';
import { collect, failureOf } from '../helpers/promises.ts';

const standIns: DataApiStandIn[] = [];

afterEach(async () => {
  await Promise.all(standIns.splice(0).map((one) => one.stop()));
});

async function ask(
  answer: Answering,
  max = 1000,
): Promise<{ pages: Promise<(readonly VideoComment[])[]>; requests: DataApiStandIn['requests'] }> {
  const one = await startDataApi(answer);
  standIns.push(one);
  return { pages: collect(createDataApiComments(one.api).pages('v1', max, sourceCall())), requests: one.requests };
}

function comment(id: string, more: Record<string, unknown> = {}): { id: string; snippet: Record<string, unknown> } {
  return { id, snippet: { textDisplay: `Text of ${id}`, ...more } };
}

/** @param given the replies that come with the thread, of `total` that there are */
function thread(id: string, given: readonly string[] = [], total = given.length): unknown {
  return {
    id,
    snippet: { videoId: 'v1', topLevelComment: comment(id), totalReplyCount: total, canReply: true },
    ...(given.length === 0 ? {} : { replies: { comments: given.map((reply) => comment(reply, { parentId: id })) } }),
  };
}

function threads(items: readonly unknown[], nextPageToken?: string): unknown {
  return {
    kind: 'youtube#commentThreadListResponse',
    items,
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
  };
}

const ids = (pages: readonly (readonly VideoComment[])[]): string[] => pages.flat().map(({ id }) => id);

describe('comments', () => {
  it('have all fields of the Data API', async () => {
    const { pages, requests } = await ask(() =>
      threads([
        {
          id: 't',
          snippet: {
            topLevelComment: comment('t', {
              textDisplay: 'A & B <3',
              textOriginal: 'not for us',
              authorDisplayName: '@ana',
              authorChannelId: { value: 'UCana' },
              likeCount: 12,
              publishedAt: '2024-02-29T23:59:59Z',
              updatedAt: '2024-03-01T00:00:00Z',
            }),
            totalReplyCount: 0,
          },
        },
      ]),
    );
    expect((await pages).flat()).toEqual([
      {
        id: 't',
        author: '@ana',
        author_id: 'UCana',
        text: 'A & B <3',
        likes: 12,
        published_at: '2024-02-29 23:59:59',
      },
    ]);
    expect(Object.fromEntries(requests[0]!.params)).toMatchObject({
      videoId: 'v1',
      order: 'time',
      textFormat: 'plainText',
      maxResults: '100',
    });
    expect(requests[0]!.params.getAll('part').flatMap((part) => part.split(','))).toEqual(['snippet', 'replies']);
  });

  it('omit fields that are unknown or invalid', async () => {
    const odd = comment('t', { authorDisplayName: '', authorChannelId: null, likeCount: -1, publishedAt: 'yesterday' });
    const { pages } = await ask(() => threads([{ snippet: { topLevelComment: odd } }]));
    expect((await pages).flat()).toEqual([{ id: 't', text: 'Text of t' }]);
  });

  it('precede their replies on all pages', async () => {
    const { pages, requests } = await ask((_method, params) =>
      params.get('pageToken') === null
        ? threads([thread('a', ['a2', 'a1']), thread('b')], 'second')
        : threads([thread('c', ['c1'])]),
    );
    const all = (await pages).flat();
    expect(all.map(({ id, reply_to }) => [id, reply_to])).toEqual([
      ['a', undefined],
      ['a1', 'a'],
      ['a2', 'a'],
      ['b', undefined],
      ['c', undefined],
      ['c1', 'c'],
    ]);
    expect(requests.map(({ method }) => method)).toEqual(['commentThreads', 'commentThreads']);
  });

  it('have all replies when the thread has only some', async () => {
    const { pages, requests } = await ask((method, params) => {
      if (method === 'commentThreads') return threads([thread('a', ['a5'], 5), thread('b')]);
      const second = params.get('pageToken') === 'more';
      return {
        kind: 'youtube#commentListResponse',
        items: (second ? ['a2', 'a1'] : ['a5', 'a4', 'a3']).map((id) => comment(id, { parentId: 'a' })),
        ...(second ? {} : { nextPageToken: 'more' }),
      };
    });
    expect(ids(await pages)).toEqual(['a', 'a1', 'a2', 'a3', 'a4', 'a5', 'b']);
    expect((await pages).every((page) => page.length > 0)).toBe(true);
    expect(requests.map(({ method, params }) => [method, params.get('parentId')])).toEqual([
      ['commentThreads', null],
      ['comments', 'a'],
      ['comments', 'a'],
    ]);
  });

  it('have replies in the order of their times', async () => {
    const at = (second: number): Record<string, unknown> => ({ publishedAt: `2024-03-01T00:00:0${String(second)}Z` });
    const replies = [comment('a2', at(2)), comment('a4', at(4)), comment('a1b', at(1)), comment('a1', at(1))];
    const { pages } = await ask(() =>
      threads([
        { id: 'a', snippet: { topLevelComment: comment('a'), totalReplyCount: 4 }, replies: { comments: replies } },
      ]),
    );
    expect(ids(await pages)).toEqual(['a', 'a1', 'a1b', 'a2', 'a4']);
  });

  it.each([
    [4, ['a', 'a1', 'a2', 'a3']],
    [120, ['a', ...Array.from({ length: 119 }, (_, index) => `a${String(index + 1)}`)]],
  ])('that are cut to %i within a thread lose its newest replies', async (max, expected) => {
    const { pages } = await ask((method, params) => {
      if (method === 'commentThreads') return threads([thread('a', ['a150'], 150)]);
      const from = params.get('pageToken') === null ? 150 : 50;
      return {
        kind: 'youtube#commentListResponse',
        items: Array.from({ length: from === 150 ? 100 : 50 }, (_, index) => comment(`a${String(from - index)}`)),
        ...(from === 150 ? { nextPageToken: 'older' } : {}),
      };
    }, max);
    expect(ids(await pages)).toEqual(expected);
  });

  it('of an endless thread are read up to 2,000', async () => {
    const { pages, requests } = await ask((method, params) => {
      if (method === 'commentThreads') return threads([thread('a', [], 1_000_000), thread('b')]);
      const page = Number(params.get('pageToken') ?? 0);
      return {
        kind: 'youtube#commentListResponse',
        items: Array.from({ length: 100 }, (_, index) => comment(`r${String(page * 100 + index)}`)),
        nextPageToken: String(page + 1),
      };
    }, 10_000);
    const all = ids(await pages);
    expect(all).toHaveLength(2_002);
    expect([all[1], all[2_000], all[2_001]]).toEqual(['r1999', 'r0', 'b']);
    expect(requests.filter(({ method }) => method === 'comments')).toHaveLength(20);
    expect((await pages).every((page) => page.length <= 100)).toBe(true);
  });

  it('whose thread is deleted in the meantime do not end the list', async () => {
    const { pages } = await ask((method, _params, res) =>
      method === 'comments'
        ? refuse(res, 404, { errors: [{ domain: 'youtube.comment', reason: 'commentNotFound' }] })
        : threads([thread('a', ['a2'], 2), thread('b')]),
    );
    expect(ids(await pages)).toEqual(['a', 'b']);
  });

  it.each([
    [1, ['a'], 1],
    [3, ['a', 'a1', 'a2'], 1],
    [4, ['a', 'a1', 'a2', 'b'], 1],
    [5, ['a', 'a1', 'a2', 'b', 'a'], 2],
    [0, [], 0],
  ])('are at most %i, with no request too many', async (max, expected, count) => {
    const { pages, requests } = await ask(
      (_method, params) =>
        threads([thread('a', ['a2', 'a1']), thread('b')], params.get('pageToken') === 'n' ? 'm' : 'n'),
      max,
    );
    expect(ids(await pages)).toEqual(expected);
    expect(requests).toHaveLength(count);
  });

  it('of a long thread are not requested beyond the maximum', async () => {
    const { pages, requests } = await ask(() => threads([thread('a', [], 900)]), 1);
    expect(ids(await pages)).toEqual(['a']);
    expect(requests.map(({ method }) => method)).toEqual(['commentThreads']);
  });

  it('that are disabled give no page and no failure', async () => {
    const { pages } = await ask((_method, _params, res) =>
      refuse(res, 403, { errors: [{ domain: 'youtube.commentThread', reason: 'commentsDisabled' }] }),
    );
    expect(await pages).toEqual([]);
  });

  it('of a video without comments give no page', async () => {
    const { pages } = await ask(() => threads([]));
    expect(await pages).toEqual([]);
  });

  it('of a video that does not exist fail as removed', async () => {
    const { pages } = await ask((_method, _params, res) =>
      refuse(res, 404, { errors: [{ domain: 'youtube.commentThread', reason: 'videoNotFound' }] }),
    );
    expect(await failureOf(pages)).toMatchObject({
      code: 'removed',
      message: 'The video was removed or does not exist.',
    });
  });

  it('fail with the time of the quota reset', async () => {
    const { pages } = await ask((_method, _params, res) =>
      refuse(res, 403, { errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }] }),
    );
    const failure = await failureOf(pages);
    expect(failure).toMatchObject({ code: 'quota_exceeded', retryAtMs: expect.any(Number) });
  });
});
