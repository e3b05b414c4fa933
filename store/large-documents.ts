import type { Binary } from 'mongodb';
import { partsOfLine } from '../contract/caption-lines.ts';
import { LONG_PARTS } from '../contract/contents.ts';
import type { StoredList } from '../contract/records.ts';
import { ItemStream } from '../contract/streams.ts';
import type { CaptionLine } from '../contract/kinds/transcript.ts';
import { inThread } from '../runtime/subprocess/thread.ts';
import { unpack, type Documents } from './documents.ts';
import { piecesOf } from './pieces.ts';

const MODULE = new URL('./large-document.mjs', import.meta.url);
/** What is parsed here. Larger is only what an earlier version wrote: up to 16 MB. */
const INLINE_MAX_BYTES = 2 * 1024 * 1024;
/** Twice what any version wrote; with what it is parsed to it takes 200 MB. */
const LARGE_MAX_BYTES = 64 * 1024 * 1024;
const MAX_HEAP_MB = 256;

type Part =
  | { readonly rest: object; readonly long: readonly string[] }
  | { readonly name: string; readonly page: readonly unknown[] };

/**
 * What earlier versions packed into one document, however large. A transcript of 15 MB in one document held the event loop for seconds. So a large one is taken apart by a thread when it is
 * first read, and its parts are kept as those of new ones are; the document itself stays, for whoever goes back to the version
 * that wrote it. One at a time, so that many callers need no more memory than one.
 */
export function largeDocuments(documents: Documents) {
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  const takeApart = async (id: string, packed: Binary): Promise<void> => {
    const parts: Record<string, StoredList> = {};
    const input = { packed: packed.value(), longParts: LONG_PARTS, maxBytes: LARGE_MAX_BYTES };
    const told = inThread<Part>({ module: MODULE, input, maxHeapMb: MAX_HEAP_MB });
    try {
      const first = await told.next();
      if (first.done === true || !('rest' in first.value)) throw new Error(`the contents ${id} cannot be read`);
      let next = await told.next();
      for (const name of first.value.long) {
        const items = async function* (): AsyncGenerator {
          for (; next.done !== true && 'name' in next.value && next.value.name === name; next = await told.next()) {
            yield* name === 'lines' ? linesOf(next.value.page) : next.value.page;
          }
        };
        parts[name] = await documents.putPart(id, name, piecesOf(items()));
      }
      await documents.putParted(id, first.value.rest, parts);
    } finally {
      await told.return(undefined);
    }
  };

  /** Whoever came before may have taken it apart. */
  const takenApart = async (id: string, packed: Binary): Promise<object | undefined> => {
    const known = await documents.parted(id);
    if (known !== undefined) return known;
    await takeApart(id, packed);
    return documents.parted(id);
  };

  return {
    /** Facts, with streams in place of their long parts. */
    factsOf: (id: string): Promise<object | undefined> =>
      oneByOne(async () => {
        const packed = (await documents.find(id))?.packed;
        if (packed === undefined) return undefined;
        const small = await unpack(packed, INLINE_MAX_BYTES);
        if (small !== undefined) return withStreams(small as object);
        return takenApart(id, packed);
      }),
    /** The items of a piece. */
    async *pagesOf(id: string, packed: Binary): AsyncGenerator<readonly unknown[]> {
      const small = await unpack(packed, INLINE_MAX_BYTES);
      if (small !== undefined) {
        yield small as readonly unknown[];
        return;
      }
      const known = await oneByOne(() => takenApart(id, packed));
      if (known !== undefined && 'items' in known) yield* (known.items as ItemStream<unknown>).pages();
    },
  };
}

function withStreams(facts: object): object {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]: [string, unknown]) => {
      const isLong = LONG_PARTS.some((part) => part === name) && Array.isArray(value);
      return [name, isLong ? heldStream(name === 'lines' ? [...linesOf(value)] : (value as unknown[])) : value];
    }),
  );
}

function heldStream(items: readonly unknown[]): ItemStream<unknown> {
  return new ItemStream(async function* () {
    yield await Promise.resolve(items);
  }, items.length);
}

function* linesOf(lines: readonly unknown[]): Generator<CaptionLine> {
  for (const line of lines) yield* partsOfLine(line as CaptionLine);
}
