/**
 * A list that is too long to hold: it stands in a result in place of an array, and is read piece by piece when the result
 * is written out.
 */
export class ItemStream<Item> {
  readonly pages: () => AsyncIterable<readonly Item[]>;

  constructor(pages: () => AsyncIterable<readonly Item[]>) {
    this.pages = pages;
  }
}

/** A result in which each array may be an {@link ItemStream}. */
export type Streamable<Value> = Value extends readonly (infer Item)[]
  ? Value | ItemStream<Item>
  : Value extends object
    ? { readonly [Key in keyof Value]: Streamable<Value[Key]> }
    : Value;

/** @returns the JSON text of a result, in chunks of about a page; the same text that `JSON.stringify` gives */
export async function* jsonChunks(value: unknown): AsyncGenerator<string> {
  if (value instanceof ItemStream) {
    let separator = '[';
    for await (const page of (value as ItemStream<unknown>).pages()) {
      if (page.length === 0) continue;
      yield separator + page.map((item) => JSON.stringify(item)).join(',');
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
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

/** @returns the result with its streams read into arrays, for callers that need it whole */
export async function materialise<Value>(value: Streamable<Value>): Promise<Value> {
  return (await wholeOf(value)) as Value;
}

async function wholeOf(value: unknown): Promise<unknown> {
  if (value instanceof ItemStream) {
    const items: unknown[] = [];
    for await (const page of (value as ItemStream<unknown>).pages()) items.push(...page);
    return items;
  }
  if (!holdsStream(value)) return value;
  const parts = await Promise.all(
    Object.entries(value).map(async ([key, part]) => [key, await wholeOf(part)] as const),
  );
  return Object.fromEntries(parts);
}

/** Streams stand in objects, never inside arrays. */
export function holdsStream(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((part) => part instanceof ItemStream || holdsStream(part));
}
