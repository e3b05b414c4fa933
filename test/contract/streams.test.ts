import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsStream, ItemStream, jsonChunks, TextStream } from '../../contract/http/streams.ts';

const pagesOf = (pages: readonly (readonly unknown[])[]) =>
  new ItemStream(async function* () {
    for (const page of pages) yield await Promise.resolve(page);
  });

async function textOf(value: unknown): Promise<string> {
  let text = '';
  for await (const chunk of jsonChunks(value)) text += Buffer.from(chunk).toString();
  return text;
}

describe('a result with a streamed list', () => {
  it('is serialized like an array', async () => {
    const pages = fc.array(fc.array(fc.jsonValue(), { maxLength: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(pages, fc.string(), fc.jsonValue(), async (list, title, other) => {
        const streamed = { title, deep: { list: pagesOf(list), other, gone: undefined }, last: [1] };
        const whole = { title, deep: { list: list.flat(), other }, last: [1] };
        expect(await textOf(streamed)).toBe(JSON.stringify(whole));
      }),
    );
  });

  it('is serialized like a string for any division of a long text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), async (parts) => {
        const text = new TextStream(async function* () {
          for (const part of parts) yield await Promise.resolve(part);
        });
        expect(await textOf({ text, other: 1 })).toBe(JSON.stringify({ text: parts.join(''), other: 1 }));
      }),
    );
  });

  it('is read again for each serialization', async () => {
    const body = { list: pagesOf([[1], [2]]) };
    expect([await textOf(body), await textOf(body)]).toEqual(['{"list":[1,2]}', '{"list":[1,2]}']);
  });

  it('keeps one page at a time in memory', async () => {
    let read = 0;
    const list = new ItemStream(async function* () {
      for (; ; read += 1) yield await Promise.resolve([read]);
    });
    const chunks = jsonChunks({ list });
    for (let taken = 0; taken < 10; taken += 1) await chunks.next();
    await chunks.return(undefined);
    expect(read).toBeLessThanOrEqual(10);
  });

  it('fails when the list fails', async () => {
    const list = new ItemStream<number>(async function* () {
      yield await Promise.resolve([1]);
      throw new Error('piece 2 is missing');
    });
    await expect(textOf({ list })).rejects.toThrow('piece 2 is missing');
  });
});

it('detects a result without a streamed list', () => {
  expect([holdsStream({ a: { b: [1] } }), holdsStream([1]), holdsStream(null), holdsStream('x')]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
