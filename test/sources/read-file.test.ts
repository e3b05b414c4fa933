import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, it, vi } from 'vitest';
import { readComments } from '../../sources/vidnet/yt-dlp/read-comments.ts';
import { readFileBy } from '../../sources/vidnet/yt-dlp/read-file.ts';
import { inFolder } from '../helpers/recorded-site.ts';

const { threads, heap } = vi.hoisted(() => {
  const heap: { resourceLimits?: object } = {};
  return { threads: new Array<{ worker: Worker; options: object }>(), heap };
});
vi.mock(import('node:worker_threads'), async (importOriginal) => {
  const original = await importOriginal();
  class Watched extends original.Worker {
    constructor(url: URL, options: object) {
      super(url, { ...options, ...heap });
      threads.push({ worker: this, options });
    }
  }
  return { ...original, Worker: Watched };
});
beforeEach(() => {
  threads.splice(0);
  delete heap.resourceLimits;
});

const running = new AbortController().signal;
const comments = Array.from({ length: 5_000 }, (_, n) => ({
  id: `c${String(n)}`,
  text: 'A remark of some length, twice.',
}));

/** Reads a file as comments, which are more than this thread parses itself. */
async function reading<Result>(text: string, use: (items: AsyncGenerator) => Promise<Result>, signal = running) {
  return inFolder(async ({ folder }) => {
    const path = join(folder, 'file');
    await writeFile(path, text);
    return use(readFileBy(readComments, { path, max: Infinity }, { signal }));
  });
}
async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const item of items) count += item === undefined ? 0 : 1;
  return count;
}

it('the thread of a large file makes its items one by one, and ends with them', async () => {
  expect(await reading(JSON.stringify({ comments }), countOf)).toBe(51);
  expect(threads.map(({ worker }) => worker.threadId)).toEqual([-1]);
});

it('the thread gets no settings of the process, and ends when the reader stops', async () => {
  await reading(JSON.stringify({ comments }), async (items) => {
    expect(await items.next()).toMatchObject({ value: { isReadable: true } });
    expect(threads).toMatchObject([{ options: { env: {} } }]);
    await items.return(undefined);
    expect(threads[0]?.worker.threadId).toBe(-1);
  });
});

it('a file that needs more memory than the thread may use ends the thread only', async () => {
  heap.resourceLimits = { maxOldGenerationSizeMb: 12 };
  const work = reading(JSON.stringify({ comments }), countOf);
  await expect(work).rejects.toMatchObject({ name: 'JobError', code: 'too_large' });
});

it('a thread ends by the signal, also in the midst of its work', async () => {
  const stop = new AbortController();
  const work = reading(JSON.stringify({ comments: Array(50).fill(comments).flat() }), countOf, stop.signal);
  await vi.waitUntil(() => threads.length === 1);
  stop.abort(new Error('enough'));
  await expect(work).rejects.toThrow('enough');
  expect(threads[0]?.worker.threadId).toBe(-1);
});
