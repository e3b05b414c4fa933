/** A row of a table of videos, posts or reels. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** What names it to the service. */
  readonly reference: string;
  readonly thumbnail: string | null;
  /** In milliseconds; null where the platform does not tell. */
  readonly publishedMs: number | null;
  readonly numbers: Readonly<Record<string, number | null>>;
}

/** A column of numbers. */
export interface Column {
  readonly name: string;
  readonly label: string;
  readonly textOf: (value: number) => string;
}

export interface Order {
  /** `title`, `published`, or the name of a column. */
  readonly by: string;
  readonly isDescending: boolean;
}

export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** What is sorted and searched, worked out once: of twenty thousand rows, comparing by the rules of a language takes a second. */
export function keysOf(rows: readonly Row[]): ReadonlyMap<Row, string> {
  return new Map(rows.map((row) => [row, folded(row.title)]));
}

export function arranged(
  rows: readonly Row[],
  keys: ReadonlyMap<Row, string>,
  { order, sought }: { readonly order: Order; readonly sought: string },
): readonly Row[] {
  const parts = folded(sought)
    .split(/\s+/)
    .filter((part) => part !== '');
  const matching =
    parts.length === 0 ? [...rows] : rows.filter((row) => parts.every((part) => keys.get(row)?.includes(part)));
  const sign = order.isDescending ? -1 : 1;
  if (order.by === 'title') {
    return matching.sort((a, b) => {
      const [left, right] = [keys.get(a) ?? '', keys.get(b) ?? ''];
      return left < right ? -sign : left > right ? sign : 0;
    });
  }
  const valueOf = (row: Row): number | null =>
    order.by === 'published' ? row.publishedMs : (row.numbers[order.by] ?? null);
  return matching.sort((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    // What is not known comes last, whichever way.
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return (left - right) * sign;
  });
}
