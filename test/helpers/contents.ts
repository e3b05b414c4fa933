import { LONG_PARTS, type KeptFacts } from '../../contract/kinds/contents.ts';
import { ItemStream, jsonChunks } from '../../contract/http/streams.ts';
import type { ListsPort } from '../../contract/kinds/kind.ts';

/** A list as it is read from the store, in pages of one: what spans two pages is seen. */
export function streamOf<Item>(items: readonly Item[]): ItemStream<Item> {
  const pages = async function* (): AsyncGenerator<readonly Item[]> {
    for (const item of items) yield await Promise.resolve([item]);
  };
  return new ItemStream(pages, items.length);
}

/** Facts as they are read from the store. */
export function keptFacts<Facts extends object>(facts: Facts): KeptFacts<Facts> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]: [string, unknown]) => [
      key,
      LONG_PARTS.some((part) => part === key) ? streamOf(value as unknown[]) : value,
    ]),
  ) as KeptFacts<Facts>;
}

/** What a caller reads of a result that is written out as a stream. */
export async function wholeOf(result: unknown): Promise<unknown> {
  let text = '';
  for await (const chunk of jsonChunks(result)) text += Buffer.from(chunk).toString();
  return JSON.parse(text) as unknown;
}

/** For answers that have nothing to do with lists of the photo platform. */
export const noLists: ListsPort = {
  handOut: () => Promise.reject(new Error('this test has no lists')),
  otherPart: () => Promise.reject(new Error('this test has no lists')),
};
