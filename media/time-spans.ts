/** A part of a recording, in seconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** @returns what remains of the spans without others */
export function without<Kind extends Span>(spans: readonly Kind[], others: readonly Span[]): readonly Kind[] {
  return others.reduce<readonly Kind[]>(
    (rest, other) =>
      rest.flatMap((span) =>
        [
          { ...span, end: Math.min(span.end, other.start) },
          { ...span, start: Math.max(span.start, other.end) },
        ].filter(({ start, end }) => end > start),
      ),
    spans,
  );
}

/** @returns the spans on the time line of a recording of which only some parts, in order, are kept */
export function onKeptTime<Kind extends Span>(spans: readonly Kind[], kept: readonly Span[]): readonly Kind[] {
  const timeOf = (time: number): number =>
    kept.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(time, end) - start), 0);
  return spans
    .map((span) => ({ ...span, start: timeOf(span.start), end: timeOf(span.end) }))
    .filter(({ start, end }) => end > start);
}
