import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ulid } from 'ulid';
import { request } from 'undici';
import { acceptsGzip } from '../../api/http/gzip-answers.ts';
import { channelProfileSchema, wholeVideo } from '../../contract/kinds/channel.ts';
import { anAudioJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const videos = Array.from({ length: 12_000 }, (_, n) =>
  wholeVideo({ vidnet_id: `v${String(n)}`, title: `Tea ${String(n)} é`, duration: n }),
);

/** @returns the path of its result */
async function keepChannel(items: readonly object[]): Promise<string> {
  const mediaId = `@${ulid().toLowerCase()}`;
  const parameters = { channel: { kind: 'handle', name: mediaId.slice(1) } } as const;
  const job = { ...anAudioJob(), type: 'list', subjectId: `list/${mediaId}`, mediaId, parameters } as const;
  const { contents, deps } = facades;
  await contents.putFacts(job.recordId, { vidnet_id: 'UC1', title: 'Tea', url: 'https://video.example/' });
  const append = contents.appendTo({ recordId: job.recordId, name: 'videos' }, { pieces: 0, items: 0 });
  let stored = { pieces: 0, items: 0 };
  for (let first = 0; first < items.length; first += 50) stored = await append(items.slice(first, first + 50));
  await keepJob(deps.records, job, { status: 'success', result: { lists: { videos: stored } } });
  return `/api/downloads/${job.recordId}/result`;
}

async function read(path: string, encoding: string, method: 'GET' | 'HEAD' = 'GET') {
  const { statusCode, headers, body } = await request(facades.url + path, {
    method,
    headers: { 'accept-encoding': encoding },
  });
  return { statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

describe('an answer with a list', () => {
  it('has the same JSON as gzip and as text', async () => {
    const path = await keepChannel(videos);
    const plain = await read(path, 'identity');
    const packed = await read(path, 'br;q=1, gzip;q=0.8');
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect([plain.headers['vary'], packed.headers['vary']]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    // `gunzipSync` also reads several members; clients such as browsers read only one.
    expect(packed.bytes.indexOf(Buffer.from([0x1f, 0x8b, 8, 0]), 1)).toBe(-1);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    const answer = channelProfileSchema.parse(JSON.parse(plain.bytes.toString()));
    expect(answer.videos).toEqual(videos);
  });

  it('is gzip without items, too', async () => {
    const { bytes } = await read(await keepChannel([]), 'gzip');
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ status: 'success', videos: [] });
  });

  it('has the same headers for HEAD', async () => {
    const path = await keepChannel(videos.slice(0, 10));
    const [whole, head] = [await read(path, 'gzip'), await read(path, 'gzip', 'HEAD')];
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-type', 'content-encoding', 'vary', 'cache-control']) {
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    }
  });
});

it.each([
  [null, false],
  ['', false],
  ['identity', false],
  ['br, deflate', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, *', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0.5, identity', false],
  ['gzip;q=0.5, identity;q=0.4', true],
  ['gzip;q=nonsense', true],
  ['not-gzip', false],
])('Accept-Encoding: %s accepts gzip: %s', (header, isAccepted) => {
  expect(acceptsGzip(header)).toBe(isAccepted);
});
