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

/** Replaces a string that is too long for memory. */
export class TextStream {
  readonly chunks: () => AsyncIterable<string>;

  constructor(chunks: () => AsyncIterable<string>) {
    this.chunks = chunks;
  }
}

/** A result in which {@link ItemStream}s replace arrays and {@link TextStream}s replace strings. */
export type Streamable<Value> = Value extends readonly (infer Item)[]
  ? Value | ItemStream<Item>
  : Value extends object
    ? { readonly [Key in keyof Value]: Streamable<Value[Key]> }
    : string extends Value
      ? Value | TextStream
      : Value;

/** Returns the same text as `JSON.stringify`, in chunks of about a page. */
export async function* jsonChunks(value: unknown): AsyncGenerator<string> {
  if (value instanceof ItemStream) {
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
      yield* jsonChunks(part);
      separator = ',';
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

/** Streams occur in objects, never inside arrays. */
export function holdsStream(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).some(
    (part) => part instanceof ItemStream || part instanceof TextStream || holdsStream(part),
  );
}
