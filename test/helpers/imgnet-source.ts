import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { brightDataFacts } from '../../sources/imgnet/records/sparse-facts.ts';
import type { ImgnetSource, SnapshotPage } from '../../sources/imgnet/imgnet-source.ts';
import {
  createDatasetApi,
  type DatasetApi,
  type DatasetApiParts,
} from '../../local/sandbox/dataset-api/dataset-api.ts';
import { createBrightDataSource, type BrightDataSettings } from '../../sources/imgnet/bright-data.ts';
import { BRIGHT_DATA_DATASETS } from '../../sources/imgnet/bright-data-requests.ts';
import { tool } from './sandbox.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

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

export interface TestDatasetApi extends DatasetApi {
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

/** The sandbox's dataset API alone, fast, with accounts and a cache of its own. */
export async function startDatasetApi(parts: Partial<DatasetApiParts> = {}): Promise<TestDatasetApi> {
  const folder = await mkdtemp(join(tmpdir(), 'dataset-api-test-'));
  let url = '';
  const api = createDatasetApi({
    baseUrl: () => url,
    ffmpeg: tool('TEST_FFMPEG'),
    cacheDir: folder,
    idSalt: randomUUID(),
    collectMs: 0,
    buildMs: 0,
    ...parts,
  });
  const server = await serveOnLoopback((req, res) => {
    res.on('error', () => undefined);
    void api.handle(req, res, new URL(`http://sandbox${req.url ?? ''}`)).then((handled) => {
      if (!handled) res.writeHead(404).end();
    });
  });
  url = server.url;
  return {
    ...api,
    url,
    folder,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The driver, pointed at an address. */
export function sourceAt(url: string, settings: Partial<BrightDataSettings> = {}): ImgnetSource {
  return createBrightDataSource({
    apiUrl: url,
    token: 'sandbox-token',
    datasets: BRIGHT_DATA_DATASETS,
    platformUrl: url,
    ...settings,
  });
}
