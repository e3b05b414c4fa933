import { vi } from 'vitest';
import { brightDataFacts } from '../../sources/imgnet/records/sparse-facts.ts';
import type { ImgnetSource, SnapshotPage } from '../../sources/imgnet/imgnet-source.ts';

/** A source that a test prepares. */
export function fakeImgnetSource() {
  return {
    trigger: vi.fn<ImgnetSource['trigger']>(),
    startedSince: vi.fn<ImgnetSource['startedSince']>(),
    isOf: vi.fn<ImgnetSource['isOf']>(),
    progress: vi.fn<ImgnetSource['progress']>(),
    rows: vi.fn<ImgnetSource['rows']>(),
    facts: brightDataFacts({ platformUrl: 'https://www.instagram.com', hosts: [] }),
    close: vi.fn<ImgnetSource['close']>(),
  };
}

/** Records as a snapshot gives them, in pages of that size. */
export async function* pagesOfRecords(
  records: readonly Record<string, unknown>[],
  pageSize = 100,
): AsyncGenerator<SnapshotPage> {
  for (let from = 0; from < records.length; from += pageSize) {
    const rows = records
      .slice(from, from + pageSize)
      .map((record, index) => ({ key: `key${String(from + index)}`, record }));
    yield await Promise.resolve({ rows, duplicates: 0, failures: 0 });
  }
}
