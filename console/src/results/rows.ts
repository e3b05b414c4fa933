export interface Row {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly thumbnail: string | null;
  /** The publication time in milliseconds; null if the platform does not give it. */
  readonly publishedMs: number | null;
  readonly numbers: Readonly<Record<string, number | null>>;
}

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly textOf: (value: number) => string;
}

export interface Order {
  readonly by: string;
  readonly isDescending: boolean;
}

/** Normalizes text so that `É` and `e` match. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The keys for sorting and searching, computed once: comparing 20,000 rows by locale takes a second. */
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
    // Unknown values come last in both directions.
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return (left - right) * sign;
  });
}
