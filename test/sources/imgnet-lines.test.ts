import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SnapshotLostError, SnapshotNotReadyError, type SnapshotPage } from '../../sources/imgnet/imgnet-source.ts';
import { linesOf, pagesOf } from '../../sources/imgnet/snapshot-rows.ts';

const LIMITS = { maxLineBytes: 1_000, maxBodyBytes: 10_000 };

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
    at += size;
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const pages = (lines: readonly string[]): Promise<SnapshotPage[]> =>
  all(pagesOf(linesOf(chunked(Buffer.from(lines.join('\n')), []), { maxLineBytes: 1e6, maxBodyBytes: 1e7 }), OPTIONS));
const OPTIONS = { hosts: ['127.0.0.1:4000'], retryAtMs: 5 };

describe('the lines of a body', () => {
  it('are the same however it arrives in pieces', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/\s/g, '_'));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(20), { maxLength: 40 }), async (lines, sizes) => {
        const body = Buffer.from(lines.join('\r\n'));
        const expected = body
          .toString()
          .split('\n')
          .map((one) => one.trim())
          .filter((one) => one !== '');
        expect(await all(linesOf(chunked(body, sizes), LIMITS))).toEqual(expected);
      }),
    );
  });

  it('end at a line that is too long, and at a body that is too long', async () => {
    const long = all(linesOf(chunked(Buffer.alloc(2_000, 'x'), [100, 100, 500, 500]), LIMITS));
    await expect(long).rejects.toMatchObject({ code: 'upstream_error', message: /record larger than 1000 bytes/ });
    const lines = Buffer.from('x\n'.repeat(6_000));
    await expect(all(linesOf(chunked(lines, [5_000, 5_000]), LIMITS))).rejects.toMatchObject({
      code: 'upstream_error',
      message: /snapshot larger than 10000 bytes/,
    });
  });
});

describe('the rows of a snapshot', () => {
  const post = (shortcode: string): string => JSON.stringify({ shortcode, likes: 1 });
  const error = (text: string, code = 'dead_page'): string => JSON.stringify({ error: text, error_code: code });

  it('have each key once, in pages, with errors counted', async () => {
    const codes = Array.from({ length: 150 }, (_, index) => `C${String(index)}`);
    const found = await pages([...codes.map(post), post('C3'), error('the crawler fell over', 'crawl_error'), '{}']);
    expect(found.map(({ rows }) => rows.length)).toEqual([100, 50]);
    expect(found.flatMap(({ rows }) => rows.map(({ key }) => key))).toEqual(codes);
    expect(found[1]).toMatchObject({ duplicates: 1, failures: 2 });
  });

  it('are keyed by shortcode, account, id or address', async () => {
    const records = [
      { url: 'http://127.0.0.1:4000/p/DA/', post_id: '1' },
      { account: 'Garden', url: 'http://127.0.0.1:4000/Garden/' },
      { post_id: '7' },
      { url: 'https://example.com/x' },
    ];
    const [page] = await pages(records.map((record) => JSON.stringify(record)));
    expect(page!.rows.map(({ key }) => key)).toEqual(['DA', 'garden', '7', 'https://example.com/x']);
  });

  it('may be an array, as JSON downloads are', async () => {
    const [page] = await pages([`[${post('A')},${post('B')}]`]);
    expect(page!.rows).toHaveLength(2);
  });

  it('that all tell an error are that error, and the snapshot is of no use', async () => {
    const rejected = pages([error('no posts found'), error('This account is private')]);
    await expect(rejected).rejects.toBeInstanceOf(SnapshotLostError);
    await expect(rejected).rejects.toMatchObject({ code: 'private' });
  });

  it('that only say that there is nothing are none', async () => {
    expect(await pages([error('There are no public posts in the profile for the specified period')])).toEqual([]);
    expect(await pages([JSON.stringify({ warning: 'no posts found', warning_code: 'dead_page' })])).toEqual([]);
    expect(await pages([])).toEqual([]);
  });

  it('are not ready when the body has a status instead', async () => {
    const rejected = pages([JSON.stringify({ status: 'building', message: 'Snapshot is building, try again in 10s' })]);
    await expect(rejected).rejects.toBeInstanceOf(SnapshotNotReadyError);
    await expect(rejected).rejects.toMatchObject({ retryAtMs: 5 });
  });

  it('of which the last is cut off are incomplete', async () => {
    await expect(pages([post('A'), post('B').slice(0, -3)])).rejects.toMatchObject({ code: 'incomplete' });
  });
});
