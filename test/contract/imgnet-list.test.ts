import { describe, expect, it, vi } from 'vitest';
import { ulid } from 'ulid';
import type { ContentsReader } from '../../contract/contents.ts';
import type { ListsPort } from '../../contract/kind.ts';
import { renderResult } from '../../contract/kinds.ts';
import { imgnetListResultSchema, renderImgnetList, type ListPartName } from '../../contract/kinds/imgnet-list.ts';
import { priceTable } from '../../contract/prices.ts';
import type { DownloadRecord, RecordStatus } from '../../contract/records.ts';
import { wholeOf } from '../helpers/streamed.ts';

const AT = '2026-11-21T09:30:00.123456Z';
const MESSAGE = 'The account is private.';
const url = 'https://www.instagram.com/p/DAbc/';
const ITEMS = {
  posts: [{ type: 'post', description: null, video_url: null, videos_duration: null, url, shortcode: 'DAbc' }],
  reels: [
    { type: 'reel', url, shortcode: 'DAbd', content_type: 'reel' },
    { type: 'reel', url, shortcode: 'DAbe', content_type: 'reel' },
  ],
};
/** Every field of a success in the specification, section 2.3. */
const SPECIFIED = [
  ...['status', 'message', 'posts', 'reels', 'posts_count', 'reels_count', 'total_count', 'downloads'],
] as const;

const contents: ContentsReader = {
  facts: () => Promise.resolve(undefined),
  async *pages({ name }) {
    yield await Promise.resolve(ITEMS[name as ListPartName] as never);
  },
};

function partOf(part: ListPartName, status: RecordStatus): DownloadRecord {
  const type = `imgnet_list_${part}` as const;
  const base = { id: ulid(), type, subjectId: `${type}/tea/all`, mediaId: 'tea', createdAt: AT, price: 5 };
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

/** The body of the webhook of a part, and the two records. */
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

  it('tells why a part failed, its own or the other', async () => {
    const { record, body } = await webhookOf('posts', 'failed', 'pending');
    const failure = { status: 'failed', response: MESSAGE, created_at: AT };
    expect(body).toMatchObject({
      ...{ message: MESSAGE, code: 'private' },
      last_response: { posts: { download_id: record.id, ...failure } },
    });
    const told = await webhookOf('posts', 'success', 'failed');
    expect(told.body['message']).toBe('The posts are complete.');
    expect(told.body['last_response']).toEqual({ reels: { download_id: told.other.id, ...failure } });
  });

  it('does not change when the other part ends between two attempts, but for its status', async () => {
    const record = partOf('posts', 'success');
    const running = partOf('reels', 'pending');
    const ended = { ...partOf('reels', 'success'), id: running.id };
    const [before, after] = await Promise.all(
      [running, ended].map(async (other) =>
        wholeOf(await renderResult(record, contextOf({ otherPart: () => Promise.resolve(other) }))),
      ),
    );
    const told = before as { downloads: { reels: object } };
    const reels = { ...told.downloads.reels, status: 'success' };
    expect(after).toEqual({ ...told, downloads: { ...told.downloads, reels } });
  });
});

describe('the answer about a list', () => {
  it('whose reels failed has every key, and no reels', async () => {
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
    const facts = () => Promise.resolve({ account: 'tea', url, profile_url: url } as never);
    const record = { ...partOf('posts', status), type: 'imgnet_profile', subjectId: 'imgnet_profile/tea' } as const;
    const context = { ...contextOf({ handOut }), contents: { ...contents, facts } };
    const result = await renderResult(record, context);
    expect(handOut.mock.calls).toEqual(Array(times).fill([record.id]));
    if (times > 0) expect(result).toHaveProperty('list_id', record.id);
  });
});
