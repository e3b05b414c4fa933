/** Replaces an array that is too long for memory. It is read piece by piece when the result is written. */
export class ItemStream<Item> {
  readonly pages: () => AsyncIterable<readonly Item[]>;
  readonly count: number | undefined;

  constructor(pages: () => AsyncIterable<readonly Item[]>, count?: number) {
    this.pages = pages;
    this.count = count;
  }

  map<Changed>(change: (item: Item) => Changed): ItemStream<Changed> {
    const { pages, count } = this;
    return new ItemStream(async function* () {
      for await (const page of pages()) yield page.map(change);
    }, count);
  }
}

/** Items of a list as JSON, joined by commas, and compressed as they are stored. */
export interface PackedItems {
  readonly gzip: Uint8Array;
  readonly unpack: () => Promise<Uint8Array>;
}

/** Replaces an array whose items are stored as the JSON of the answer. */
export class PackedList<Item> {
  /** @param first the number of the first piece, from 1 */
  readonly from: (first: number) => AsyncIterable<PackedItems>;
  readonly pieces: number;
  /** Only for the type. */
  declare readonly item?: Item;

  constructor(pieces: number, from: (first: number) => AsyncIterable<PackedItems>) {
    this.pieces = pieces;
    this.from = from;
  }

  /** Yields the items of each piece. @param first the number of the first piece, from 1 */
  async *pages(first = 1): AsyncGenerator<readonly Item[]> {
    for await (const { unpack } of this.from(first)) yield itemsIn(await unpack()) as readonly Item[];
  }
}

/** @param json the unpacked text of a piece */
export function itemsIn(json: Uint8Array): readonly unknown[] {
  return JSON.parse(`[${new TextDecoder().decode(json)}]`) as readonly unknown[];
}

/** Replaces a string that is too long for memory. */
export class TextStream {
  readonly chunks: () => AsyncIterable<string>;

  constructor(chunks: () => AsyncIterable<string>) {
    this.chunks = chunks;
  }
}

/** A result in which {@link ItemStream}s and {@link PackedList}s replace arrays and {@link TextStream}s replace strings. */
export type Streamable<Value> = Value extends readonly (infer Item)[]
  ? Value | ItemStream<Item> | PackedList<Item>
  : Value extends object
    ? { readonly [Key in keyof Value]: Streamable<Value[Key]> }
    : string extends Value
      ? Value | TextStream
      : Value;

/** Returns the same text as `JSON.stringify`, in chunks of about a page. */
export async function* jsonChunks(value: unknown): AsyncGenerator<string | Uint8Array> {
  for await (const part of jsonParts(value)) yield typeof part === 'string' ? part : await part.unpack();
}

/** Like {@link jsonChunks}, but what is stored compressed stays so. */
export async function* jsonParts(value: unknown): AsyncGenerator<string | PackedItems> {
  if (value instanceof PackedList) {
    let separator = '[';
    for await (const items of value.from(1)) {
      yield separator;
      yield items;
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
  } else if (value instanceof ItemStream) {
    let separator = '[';
    for await (const page of (value as ItemStream<unknown>).pages()) {
      if (page.length === 0) continue;
      yield separator + page.map((item) => JSON.stringify(item)).join(',');
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
  } else if (value instanceof TextStream) {
    yield '"';
    for await (const chunk of value.chunks()) yield JSON.stringify(chunk).slice(1, -1);
    yield '"';
  } else if (holdsStream(value)) {
    let separator = '{';
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* jsonParts(part);
      separator = ',';
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

const STREAMS = [ItemStream, PackedList, TextStream];

/** Streams occur in objects, never inside arrays. */
export function holdsStream(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((part) => STREAMS.some((stream) => part instanceof stream) || holdsStream(part));
}
