import { describe, expect, it, vi } from 'vitest';
import { ulid } from 'ulid';
import type { ContentsReader } from '../../contract/kinds/contents.ts';
import type { ListsPort } from '../../contract/kinds/kind.ts';
import { renderResult } from '../../contract/kinds/kinds.ts';
import { imgnetListResultSchema, renderImgnetList, type ListPart } from '../../contract/kinds/imgnet-list.ts';
import { type ListPartName } from '../../contract/kinds/imgnet-list-job.ts';
import { imgnetProfileResultSchema } from '../../contract/kinds/imgnet-profile.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import type { DownloadRecord, RecordStatus, SuccessRecord } from '../../contract/download-record.ts';
import { wholeItems } from '../../contract/kinds/imgnet-media.ts';
import { packedListOf } from '../../store/records/contents-store.ts';
import { wholeOf } from '../helpers/contents.ts';

const AT = '2026-11-21T09:30:00.123456Z';
const MESSAGE = 'The account is private.';
const url = 'https://www.instagram.com/p/DAbc/';
const ITEMS = {
  posts: [wholeItems.posts({ type: 'post', url, shortcode: 'DAbc' })],
  reels: ['DAbd', 'DAbe'].map((shortcode) => wholeItems.reels({ type: 'reel', url, shortcode, content_type: 'reel' })),
};
/** The fields of a success in the specification, section 2.3. */
const SPECIFIED = [
  ...['status', 'message', 'posts', 'reels', 'posts_count', 'reels_count', 'total_count', 'downloads'],
] as const;

const contents: ContentsReader = {
  piece: () => Promise.resolve(undefined),
  facts: () => Promise.resolve(undefined),
  list: ({ name, pieces }) => packedListOf(pieces > 0 ? (ITEMS[name as ListPartName] as never[]) : []),
};

function partOf(part: ListPartName, status: RecordStatus): DownloadRecord {
  const type = `imgnet_list_${part}` as const;
  const base = {
    id: ulid(),
    type,
    subjectId: `${type}/tea/all`,
    mediaId: 'tea',
    createdAt: AT,
    price: 5,
    startedBy: 'anonymous',
  };
  switch (status) {
    case 'pending':
      return { ...base, status };
    case 'failed':
      return { ...base, status, finishedAt: AT, failure: { code: 'private', message: MESSAGE } };
    case 'success': {
      const lists = { [part]: { pieces: 1, items: ITEMS[part].length } };
      return { ...base, status, finishedAt: AT, charge: 5, files: [], lists };
    }
  }
}

function contextOf(lists: Partial<ListsPort>) {
  const handOut = vi.fn<ListsPort['handOut']>().mockResolvedValue();
  const otherPart = vi.fn<ListsPort['otherPart']>();
  return { prices: priceTable({}), linkTo: () => '', contents, lists: { handOut, otherPart, ...lists } };
}

/** Returns the body of the webhook of a part, and the two records. */
async function webhookOf(part: ListPartName, own: RecordStatus, others: RecordStatus) {
  const record = partOf(part, own);
  const other = partOf(part === 'posts' ? 'reels' : 'posts', others);
  const body = await wholeOf(await renderResult(record, contextOf({ otherPart: () => Promise.resolve(other) })));
  return { record, other, body: body as Record<string, unknown> };
}

const MOMENTS = (['posts', 'reels'] as const).flatMap((part) =>
  (['success', 'failed'] as const).flatMap((own) =>
    (['pending', 'success', 'failed'] as const).map((other) => [part, own, other] as const),
  ),
);

describe('the webhook of a part of a list', () => {
  it.each(MOMENTS)(
    'has every key of the endpoint when the %s are a %s and the others %s',
    async (part, own, others) => {
      const { record, other, body } = await webhookOf(part, own, others);
      expect(imgnetListResultSchema.parse(body)).toEqual(body);
      const filled = own === 'success' ? ITEMS[part] : [];
      const name = part === 'posts' ? 'reels' : 'posts';
      expect(body).toMatchObject({
        ...{ status: own, [part]: filled, [name]: [], total_count: filled.length },
        ...{ [`${part}_count`]: filled.length, [`${name}_count`]: 0 },
      });
      const cost = { success: '0.005', pending: '0.005', failed: '0.000' };
      expect(body['downloads']).toEqual({
        [part]: { id: record.id, type: record.type, status: own, cost: cost[own] },
        [name]: { id: other.id, type: other.type, status: others, cost: cost[others] },
      });
      expect(Object.keys(body)).toEqual(expect.arrayContaining([...SPECIFIED]));
      const both = { [part]: { record }, [name]: { record: other } } as never;
      const answer = (await wholeOf(renderImgnetList(both, contents))) as Record<string, unknown>;
      if (answer['status'] === own) expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.keys(answer)));
    },
  );

  it('contains the failure of either part', async () => {
    const { record, body } = await webhookOf('posts', 'failed', 'pending');
    const failure = { status: 'failed', response: MESSAGE, created_at: AT };
    expect(body).toMatchObject({
      ...{ message: MESSAGE, code: 'private' },
      last_response: { posts: { download_id: record.id, ...failure } },
    });
    const succeeded = await webhookOf('posts', 'success', 'failed');
    expect(succeeded.body['message']).toBe('The posts are complete.');
    expect(succeeded.body['last_response']).toEqual({ reels: { download_id: succeeded.other.id, ...failure } });
  });

  it('changes only the status when the other part ends between two attempts', async () => {
    const record = partOf('posts', 'success');
    const running = partOf('reels', 'pending');
    const ended = { ...partOf('reels', 'success'), id: running.id };
    const [before, after] = await Promise.all(
      [running, ended].map(async (other) =>
        wholeOf(await renderResult(record, contextOf({ otherPart: () => Promise.resolve(other) }))),
      ),
    );
    const body = before as { downloads: { reels: object } };
    const reels = { ...body.downloads.reels, status: 'success' };
    expect(after).toEqual({ ...body, downloads: { ...body.downloads, reels } });
  });
});

describe('the response for a list', () => {
  const answerTo = async (posts: ListPart, reels: ListPart) => {
    const answer = await wholeOf(renderImgnetList({ posts, reels }, contents));
    expect(imgnetListResultSchema.parse(answer)).toEqual(answer);
    return answer as Record<string, unknown>;
  };
  const part = (name: ListPartName, status: RecordStatus): ListPart => ({ record: partOf(name, status) });
  /** A success with the parameters of its request. */
  const requested = (name: ListPartName, parameters: object): ListPart => ({
    record: { ...partOf(name, 'success'), parameters: { part: name, ...parameters } },
  });

  it('contains the price of both parts and their jobs while it is pending', async () => {
    const [posts, reels] = [part('posts', 'pending'), part('reels', 'pending')];
    const dear: ListPart = { record: { ...posts.record, price: 6 } };
    expect(await answerTo(dear, reels)).toEqual({
      ...{ status: 'pending', message: expect.any(String) as string, total_cost: 0.011 },
      downloads: {
        posts: { id: posts.record.id, type: 'imgnet_list_posts', status: 'pending' },
        reels: { id: reels.record.id, type: 'imgnet_list_reels', status: 'pending' },
      },
    });
  });

  it.each([
    ['posts', 'reels'],
    ['reels', 'posts'],
  ] as const)('contains the %s while the %s are fetched, with the progress of the latter', async (ready, running) => {
    const progress = { stage: 'listing', items: 2 } as const;
    const lastResponse = { download_id: ulid(), status: 'failed', response: MESSAGE, created_at: AT } as const;
    const parts = {
      [ready]: part(ready, 'success'),
      [running]: { ...part(running, 'pending'), progress, lastResponse },
    };
    const { posts, reels } = parts as Record<ListPartName, ListPart>;
    const answer = await answerTo(posts, reels);
    expect(answer).toMatchObject({ status: 'pending', [ready]: ITEMS[ready], total_cost: 0.01 });
    expect(answer).not.toHaveProperty(running);
    expect(answer['progress']).toEqual({ [running]: progress });
    expect(answer['last_response']).toEqual({ [running]: lastResponse });
  });

  it('has a different message in each state', async () => {
    const states = [
      ['pending', 'pending'],
      ['success', 'pending'],
      ['pending', 'success'],
      ['success', 'success'],
      ['success', 'failed'],
      ['failed', 'success'],
    ] as const;
    const answers = await Promise.all(
      states.map(([posts, reels]) => answerTo(part('posts', posts), part('reels', reels))),
    );
    const messages = answers.map(({ message }) => message);
    expect(new Set(messages).size).toBe(states.length);
    expect(messages.join(' ')).not.toContain('undefined');
  });

  it('contains the failure of both parts once', async () => {
    const answer = await answerTo(part('posts', 'failed'), part('reels', 'failed'));
    expect(answer).toMatchObject({ status: 'failed', message: MESSAGE, code: 'private', total_count: 0 });
  });

  it.each([
    ['the count of the profile', { postsCount: 7 }, 7],
    ['nothing if the profile has no count', {}, null],
    ['nothing if the request covers only some days', { postsCount: 7, sinceDate: '2026-11-01' }, null],
  ])('compares the received items with %s', async (_what, parameters, expected) => {
    const answer = await answerTo(requested('posts', parameters), requested('reels', parameters));
    expect(answer).toMatchObject({ ...ITEMS, posts_count: 1, reels_count: 2, total_count: 3 });
    expect(answer).toHaveProperty('completeness', { expected, received: 3 });
    expect(answer).not.toHaveProperty('last_response');
  });

  it('counts no items if none are stored', async () => {
    const without = (name: ListPartName): SuccessRecord => {
      const { lists: _none, ...record } = partOf(name, 'success') as SuccessRecord;
      return record;
    };
    const answer = await answerTo({ record: without('posts') }, { record: { ...without('reels'), lists: {} } });
    expect(answer).toMatchObject({ posts: [], reels: [], posts_count: 0, reels_count: 0, total_count: 0 });
  });

  it('has every key and no reels if the reels failed', async () => {
    const parts = { posts: { record: partOf('posts', 'success') }, reels: { record: partOf('reels', 'failed') } };
    const answer = (await wholeOf(renderImgnetList(parts, contents))) as object;
    expect(imgnetListResultSchema.parse(answer)).toEqual(answer);
    expect(Object.keys(answer)).toEqual(expect.arrayContaining([...SPECIFIED]));
    expect(answer).toMatchObject({ posts_count: 1, reels: [], reels_count: 0, total_count: 1 });
    expect(answer).toHaveProperty('completeness', { expected: null, received: 1 });
  });
});

describe('the result of a profile', () => {
  it.each([
    ['pending', 1],
    ['success', 1],
    ['failed', 0],
  ] as const)('that is %s hands out its list_id %s times', async (status, times) => {
    const handOut = vi.fn<ListsPort['handOut']>().mockResolvedValue();
    const facts = () => Promise.resolve({ account: 'tea', url, profile_url: url, posts_count: 1234 } as never);
    const record = { ...partOf('posts', status), type: 'imgnet_profile', subjectId: 'imgnet_profile/tea' } as const;
    const context = { ...contextOf({ handOut }), contents: { ...contents, facts } };
    const result = await renderResult(record, context);
    expect(handOut.mock.calls).toEqual(Array(times).fill([record.id]));
    expect(imgnetProfileResultSchema.parse(result)).toMatchObject({ status, download: { id: record.id, status } });
    if (times === 0) return;
    // Before the profile is known, the price is that of the shortest list.
    expect(result).toMatchObject({ list_id: record.id, list_cost: status === 'pending' ? 0.01 : 1.234 });
  });
});
