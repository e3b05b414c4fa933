import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inThread, ThreadError } from '../../../runtime/subprocess/in-thread.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thread-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true }));

async function moduleOf(source: string, ending = 'mjs'): Promise<URL> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.${ending}`);
  await writeFile(path, source);
  return pathToFileURL(path);
}
async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const COUNT = 'export default function* (input) { for (let n = 0; n < input; n += 1) yield n; }';

it('a thread hands over what it makes one by one, and ends', async () => {
  const module = await moduleOf(COUNT);
  expect(await collect(inThread({ module, input: 3, maxHeapMb: 64 }))).toEqual([0, 1, 2]);
  const typed = await moduleOf('export default function* (input: number): Generator<number> { yield input; }', 'ts');
  expect(await collect(inThread({ module: typed, input: 3, maxHeapMb: 256 }))).toEqual([3]);
});

it('a thread makes nothing ahead, and is gone when nobody reads on', async () => {
  const items = inThread<number>({ module: await moduleOf(COUNT), input: Infinity, maxHeapMb: 64 });
  expect(await items.next()).toEqual({ done: false, value: 0 });
  await items.return(undefined);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

it.each([
  ['throws', 'export default function* () { yield 1; throw new Error("no"); }'],
  [
    'needs too much memory',
    'export default function* () { const all = []; for (;;) all.push(Array(1000).fill(Math.random())); yield 1; }',
  ],
  ['cannot be loaded', 'import "./nowhere.mjs";'],
])('a thread that %s is an error of its own and of nobody else', async (_, source) => {
  const items = inThread({ module: await moduleOf(source), input: 0, maxHeapMb: 32 });
  await expect(collect(items)).rejects.toBeInstanceOf(ThreadError);
});

it('a thread ends by the signal, also in the midst of its work', async () => {
  const stop = new AbortController();
  const module = await moduleOf('export default function* () { for (;;); }');
  const work = collect(inThread({ module, input: 0, signal: stop.signal, maxHeapMb: 32 }));
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(work).rejects.toThrow('enough');
});

it('a thread knows nothing of the settings of the process', async () => {
  const module = await moduleOf('export default function* () { yield process.env.PATH; }');
  expect(await collect(inThread({ module, input: 0, maxHeapMb: 32 }))).toEqual([undefined]);
});
