import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ulid } from 'ulid';
import { wholeVideo, type ChannelProfile } from '../../contract/kinds/channel.ts';
import { wholeItems } from '../../contract/kinds/imgnet-media.ts';
import { jobResultSchema } from '../../contract/kinds/kinds.ts';
import { anAudioJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const videos = (count: number) =>
  Array.from({ length: count }, (_, n) => wholeVideo({ vidnet_id: `v${String(n)}`, title: `Tea ${String(n)}` }));

/** Stores a channel whose list has pieces of these sizes. @returns its ID */
async function keepChannel(sizes: readonly number[]): Promise<string> {
  const mediaId = `@${ulid().toLowerCase()}`;
  const parameters = { channel: { kind: 'handle', name: mediaId.slice(1) } } as const;
  const job = { ...anAudioJob(), type: 'list', subjectId: `list/${mediaId}`, mediaId, parameters } as const;
  const { contents, deps } = facades;
  await contents.putFacts(job.recordId, { vidnet_id: 'UC1', title: 'Tea', url: 'https://video.example/' });
  const all = videos(sizes.reduce((sum, size) => sum + size, 0));
  let first = 0;
  for (const [index, size] of sizes.entries()) {
    const name = { recordId: job.recordId, name: 'videos', number: index + 1 };
    await contents.putPiece(name, all.slice(first, (first += size)));
  }
  const lists = { videos: { pieces: sizes.length, items: first } };
  await keepJob(deps.records, job, { status: 'success', result: { lists } });
  return job.recordId;
}

async function pageOf(id: string, query: Readonly<Record<string, string>>) {
  const answer = await fetch(`${facades.url}/api/downloads/${id}/result?${new URLSearchParams(query).toString()}`);
  const body = (await answer.json()) as ChannelProfile & { readonly details?: readonly { readonly path: string }[] };
  return { status: answer.status, body };
}

describe('a result with a list', () => {
  it.each([
    [[], 3],
    [[5], 5],
    [[5], 2],
    [[2, 3, 1], 1],
    [[2, 3, 1], 2],
    [[2, 3, 1], 4],
    [[2, 3, 1], 1_000],
  ])('with pieces of %j items is read in pages of %i, each item once and in order', async (sizes, limit) => {
    const id = await keepChannel(sizes);
    const whole = await pageOf(id, {});
    expect(whole.body).not.toHaveProperty('next_cursor');
    const found: unknown[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
      const { status, body } = await pageOf(id, { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      expect([status, jobResultSchema.parse(body)]).toEqual([200, body]);
      const { videos: items, next_cursor: next, ...others } = body;
      const { videos: _all, ...expected } = whole.body;
      expect(others).toEqual(expected);
      expect(items.length).toBeLessThanOrEqual(limit);
      found.push(...items);
      cursor = next;
    }
    expect(found).toEqual(whole.body.videos);
    expect(pages).toBe(Math.max(1, Math.ceil(found.length / limit)));
  });

  it('has pages of 100 items with a cursor alone, and the same pages over tRPC', async () => {
    const id = await keepChannel([150, 150]);
    const { body } = await pageOf(id, { limit: '10' });
    const next = await pageOf(id, { cursor: body.next_cursor! });
    expect(next.body.videos).toEqual(videos(110).slice(10));
    const input = { download_id: id, cursor: body.next_cursor! };
    expect(await facades.rpc.downloads.result.query(input)).toEqual(next.body);
    const whole = await facades.rpc.downloads.result.query({ download_id: id, limit: null, cursor: null });
    expect(whole).toMatchObject({ videos: videos(300) });
  });

  it('refuses a limit and a cursor that are not valid, and names the field', async () => {
    const [id, other] = [await keepChannel([4, 4]), await keepChannel([4, 4])];
    const { body } = await pageOf(other, { limit: '6' });
    const encoded = (text: string): string => Buffer.from(text).toString('base64url');
    const wrong: [string, string][] = [
      ...['0', '1001', '-1', '1.5', 'x', ''].map((limit): [string, string] => ['limit', limit]),
      ...['', 'x', '*', 'é', 'x'.repeat(200), body.next_cursor!].map((cursor): [string, string] => ['cursor', cursor]),
      ...['0.0', '1.4', '1.-1', '1.0.5', '3.0', '999999.0', '1e1.0', '1', 'NaN.0', '01.0', '1.0 '].map(
        (position): [string, string] => ['cursor', encoded(`${id}.${position}`)],
      ),
    ];
    for (const [name, value] of wrong) {
      const answer = await pageOf(id, { [name]: value });
      expect([value, answer.status, answer.body.details?.map(({ path }) => path)]).toEqual([value, 400, [name]]);
    }
  });

  it('has pages in the photo platform, too', async () => {
    const item = (n: number) =>
      wholeItems.reels({
        type: 'reel',
        url: `https://site.example/${String(n)}`,
        shortcode: String(n),
        content_type: 'reel',
      });
    const job = { ...anAudioJob(), type: 'imgnet_list_reels', subjectId: `imgnet_list_reels/${ulid()}/all` } as const;
    const list = { recordId: job.recordId, name: 'reels' };
    const reels = await facades.contents.appendTo(list, { pieces: 0, items: 0 })([item(1), item(2), item(3)]);
    const parameters = { part: 'reels' } as const;
    await keepJob(facades.deps.records, { ...job, parameters }, { status: 'success', result: { lists: { reels } } });
    const { status, body } = await pageOf(job.recordId, { limit: '2' });
    expect([status, body]).toMatchObject([200, { reels: [item(1), item(2)], posts: [], reels_count: 3 }]);
    const last = await pageOf(job.recordId, { limit: '2', cursor: body.next_cursor! });
    expect(last.body).toMatchObject({ reels: [item(3)], next_cursor: null });
  });
});

it('refuses pages of a result without a list, and answers a pending job without them', async () => {
  const { id } = await keepJob(facades.deps.records, anAudioJob(), { status: 'success', result: {} });
  const { status, body } = await pageOf(id, { limit: '2' });
  expect([status, body.details?.map(({ path }) => path)]).toEqual([400, ['limit']]);
  const pending = await keepJob(facades.deps.records, anAudioJob());
  expect(await pageOf(pending.id, { limit: '2' })).toMatchObject({
    status: 202,
    body: { data: { status: 'pending' } },
  });
});
