import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import yauzl from 'yauzl';
import type { BatchAnswer, BatchItemAnswer } from '../../contract/batches/batch-answers.ts';
import type { ItemProgress } from '../../contract/batches/batch-state.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { stores, type StoreUnderTest } from '../helpers/file-stores.ts';
import { aTranscriptJob, anAudioJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';

const never = new AbortController().signal;
const facts: TranscriptFacts = {
  video: { videoId: 'kX3vQ9mTz0A', link: 'https://video.example/watch', title: 'Tea' },
  track: { language: 'en-GB', kind: 'manual' },
  lines: [{ startSeconds: 0.5, durationSeconds: 1.25, text: 'Hello there' }],
};

/** @returns the entries of an archive in their order */
async function unzip(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(archive, { validateEntrySizes: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    expect(entry.compressionMethod).toBe(0);
    entries.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return entries;
}

interface Manifest {
  readonly batch: BatchAnswer;
  readonly items: readonly (BatchItemAnswer & { readonly files: readonly string[] })[];
}

describe.each(Object.entries(stores))('the archive of a batch with files on %s', (_kind, open) => {
  let store: StoreUnderTest;
  let facades: Facades;
  beforeAll(async () => {
    store = await open();
    facades = await startFacades(undefined, { files: store.files });
  });
  afterAll(async () => {
    await facades.close();
    await store.close();
  });

  const audioWith = async (contents: string | undefined, title?: string): Promise<ItemProgress> => {
    const job = anAudioJob();
    const name = `${job.mediaId}.m4a`;
    const source = join(store.folder, ulid());
    await writeFile(source, contents ?? 'gone');
    const file = await store.files.publish(source, { recordId: job.recordId, name }, never);
    if (contents === undefined) await store.files.remove({ recordId: job.recordId, name });
    const result = { files: [file], ...(title !== undefined && { title }) };
    await keepJob(facades.deps.records, job, { status: 'success', result });
    return { state: 'success', recordId: job.recordId, cost: 5 };
  };
  const batchWith = async (progress: readonly (ItemProgress | undefined)[]): Promise<BatchAnswer> => {
    const items = progress.map((_one, number) => ({
      ...{ operation: 'requestAudio', vidnet_video_id: `kX3vQ9m${String(number).padStart(4, '0')}` },
    }));
    const { body } = await facades.post('/api/batches', JSON.stringify({ items, name: 'Talks' }));
    const known = progress.flatMap((one, index) => (one === undefined ? [] : [[index, one] as const]));
    await facades.deps.batches.noteProgress({ batchId: String(body['id']), number: 1 }, known);
    return body as unknown as BatchAnswer;
  };
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(path, facades.url), { headers });
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  };

  it('has the files and results under unique names, and a manifest of all items', async () => {
    const transcript = aTranscriptJob();
    await facades.contents.putFacts(transcript.recordId, facts);
    await keepJob(facades.deps.records, transcript, { status: 'success', result: { title: 'Tea' } });
    const removed = aTranscriptJob();
    await keepJob(facades.deps.records, removed, { status: 'success', result: { title: 'Old tea' } });
    const failure = { code: 'private', message: 'The video is private.' } as const;
    const [first, second, gone] = [
      await audioWith('a', '../Tea: "1"'),
      await audioWith('bb', 'TEA'),
      await audioWith(undefined),
    ];
    const again = { ...second, isPaidElsewhere: true as const, cost: 0 };
    const { id } = await batchWith([
      ...[first, second, again, gone],
      ...[transcript, removed].map(({ recordId }) => ({ state: 'success' as const, recordId })),
      ...[{ state: 'failed' as const, failure }, undefined],
    ]);
    const { response, body } = await read(`/api/batches/${id}/archive.zip`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="batch-${id}.zip"`);
    const entries = await unzip(body);
    const idOf = async ({ recordId }: ItemProgress) => (await facades.deps.records.get(recordId!))!.mediaId;
    const [one, two] = [await idOf(first), await idOf(second)];
    const tea = `Tea [${transcript.mediaId}].en-GB`;
    const names = [`_Tea_ _1_ [${one}].m4a`, `TEA [${two}].m4a`, `TEA [${two}]_2.m4a`, `${tea}.json`, `${tea}.srt`];
    expect([...entries.keys()]).toEqual([...names, 'manifest.json']);
    expect(names.slice(0, 3).map((name) => entries.get(name)!.toString())).toEqual(['a', 'bb', 'bb']);
    expect(entries.get(`${tea}.srt`)!.toString()).toBe('1\n00:00:00,500 --> 00:00:01,750\nHello there\n');
    const { body: result } = await read(`/api/downloads/${transcript.recordId}/result`);
    expect(JSON.parse(entries.get(`${tea}.json`)!.toString())).toEqual(JSON.parse(result.toString()));

    const manifest = JSON.parse(entries.get('manifest.json')!.toString()) as Manifest;
    expect(manifest.batch).toMatchObject({ id, name: 'Talks', items: 8 });
    expect(manifest.items.map(({ number, state, files }) => [number, state, files])).toEqual([
      ...[[names[0]], [names[1]], [names[2]], [], names.slice(3), []].map((files, number) => [
        number,
        'success',
        files,
      ]),
      ...[
        [6, 'failed', []],
        [7, 'waiting', []],
      ],
    ]);
    expect(manifest.items[0]).toMatchObject({ record: { id: first.recordId, title: '../Tea: "1"' }, failure: null });
    expect(manifest.items[6]).toMatchObject({ record: null, failure });
  });

  it('is served to its caller and to holders of its link', async () => {
    const { id, archive_url: link } = await batchWith([await audioWith('a')]);
    const signed = new URL(link.replace('http://drive.example', facades.url));
    const { response, body } = await read(signed.href);
    expect([response.status, (await unzip(body)).size]).toEqual([200, 2]);
    const head = await fetch(signed, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip']);
    signed.searchParams.set('Signature', 'x'.repeat(43));
    expect((await read(signed.href)).response.status).toBe(403);
    const other = await facades.deps.keys.create({ name: 'other', scopes: ['read'] });
    const path = `/api/batches/${id}/archive.zip`;
    expect((await read(path, { authorization: `Bearer ${other.text}` })).response.status).toBe(404);
    expect((await read(path.replace(id, ulid()))).response.status).toBe(404);
  });

  it('closes the file that it reads when the reader leaves', async () => {
    const large = await audioWith('x'.repeat(30_000_000));
    const { id } = await batchWith([large, await audioWith('a')]);
    const { files } = store;
    let contents: Readable | undefined;
    vi.spyOn(facades.deps.files, 'open').mockImplementationOnce(async (key) => {
      const file = (await files.open(key))!;
      return { ...file, read: async () => (contents = await file.read()) };
    });
    const [response] = (await once(httpGet(`${facades.url}/api/batches/${id}/archive.zip`), 'response')) as [
      IncomingMessage,
    ];
    await once(response, 'readable');
    expect(contents?.destroyed).toBe(false);
    response.destroy();
    await until(() => (contents?.destroyed === true ? true : undefined));
    expect(contents?.readableEnded).toBe(false);
  });

  it('is cut, which is logged, when a file cannot be read to its end', async () => {
    const { id } = await batchWith([await audioWith('a'), await audioWith('b')]);
    const get = facades.deps.records.get.bind(facades.deps.records);
    const logged = vi.spyOn(facades.deps.log, 'error');
    vi.spyOn(facades.deps.records, 'get')
      .mockImplementationOnce(get)
      .mockRejectedValueOnce(new Error('the database is away'));
    await expect(read(`/api/batches/${id}/archive.zip`)).rejects.toThrow();
    expect(logged.mock.lastCall?.[1]).toBe('an answer was cut short');
  });
});

// A collection of garbage that comes late may look like memory of the archive, so the measurement is repeated.
it(
  'an archive of 1,000 files starts within a second and needs little memory',
  { timeout: 120_000, retry: 2 },
  async () => {
    const store = await stores.disk();
    const facades = await startFacades(undefined, { files: store.files });
    const bytes = 300_000;
    const batch = { operation: 'requestAudio' };
    const items = Array.from({ length: 1_000 }, (_one, number) => ({
      ...{ ...batch, vidnet_video_id: `kX3vQ9m${String(number).padStart(4, '0')}` },
    }));
    const { body } = await facades.post('/api/batches', JSON.stringify({ items }));
    const id = String(body['id']);
    const contents = Buffer.alloc(bytes, 'tapedeck');
    for (let number = 1; number <= items.length / BATCH_PIECE_ITEMS; number += 1) {
      const progress: [number, ItemProgress][] = [];
      const keepItem = async (index: number): Promise<void> => {
        const job = anAudioJob();
        const name = `${job.mediaId}.m4a`;
        await mkdir(join(store.folder, 'files', job.recordId), { recursive: true });
        await writeFile(join(store.folder, 'files', job.recordId, name), contents);
        const files = [{ name, sizeBytes: bytes, sha256: '' }];
        await keepJob(facades.deps.records, job, { status: 'success', result: { files, title: 'One title for all' } });
        progress.push([index, { state: 'success', recordId: job.recordId }]);
      };
      await Promise.all(Array.from({ length: BATCH_PIECE_ITEMS }, (_one, index) => keepItem(index)));
      await facades.deps.batches.noteProgress({ batchId: id, number }, progress);
    }
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    let peak = before;
    let first: number | undefined;
    let received = 0;
    const response = await fetch(`${facades.url}/api/batches/${id}/archive.zip`);
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      first ??= performance.now() - begun;
      received += chunk.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(received).toBeGreaterThan(1_000 * bytes);
    expect(first).toBeLessThan(1_000);
    expect((peak - before) / 1024 ** 2).toBeLessThan(50);
    await facades.close();
    await store.close();
  },
);
