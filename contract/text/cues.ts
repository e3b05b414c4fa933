import { columnsOf, LINE_MAX_COLUMNS, tokensOf, type TimedText, type Token } from './cue-tokens.ts';

/** The distance in columns by which a break may move to follow a sentence. It may move half as far to follow a clause. */
const SENTENCE_WORTH = 20;
const SENTENCE_END = /[.!?…。！？]["'”’)»」]*$/;
const CLAUSE_END = /[,;:–—，、；：]["'”’)»」]*$/;

export interface Cue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly lines: readonly string[];
}

/** Cues of at most two lines. A text that fits keeps its own line breaks. @param labelColumns the width of the speaker's name */
export function cuesOf(text: TimedText, labelColumns = 0): Cue[] {
  const { startSeconds } = text;
  const endSeconds = startSeconds + text.durationSeconds;
  const firstColumns = Math.max(1, LINE_MAX_COLUMNS - labelColumns);
  const own = ownLines(text.text);
  const isFit = own.every((line, i) => columnsOf(line) <= (i === 0 ? firstColumns : LINE_MAX_COLUMNS));
  if (own.length <= 2 && isFit) return [{ startSeconds, endSeconds, lines: own }];

  const row = rowOf(tokensOf(text), firstColumns);
  const ends = cueEnds(row);
  const startAt = (token: number): number => row.tokens[token]?.startSeconds ?? endSeconds;
  return ends.map((end, i) => {
    const from = ends[i - 1] ?? 0;
    return { startSeconds: startAt(from), endSeconds: startAt(end), lines: cueLines(row, from, end) };
  });
}

/** Empty lines are removed because they would end a cue in every format. */
function ownLines(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

type Row = ReturnType<typeof rowOf>;

/** Measures ranges of tokens, which exclude `end`. */
function rowOf(tokens: readonly Token[], firstColumns: number) {
  const blankBefore = (token: number): number => (tokens[token]?.isSpaced === true ? 1 : 0);
  const before = [0];
  for (const [i, { columns }] of tokens.entries()) before.push((before[i] ?? 0) + blankBefore(i) + columns);
  // The space before a range is not part of it.
  const columns = (from: number, end: number): number => (before[end] ?? 0) - (before[from] ?? 0) - blankBefore(from);
  /** The end of the longest range that fits into the columns; it has at least one token. */
  const lineEnd = (from: number, most: number): number => {
    let end = Math.min(from + 1, tokens.length);
    while (end < tokens.length && columns(from, end + 1) <= most) end += 1;
    return end;
  };
  const firstEnd = (from: number): number => lineEnd(from, firstColumns);
  const cueEnd = (from: number): number => lineEnd(firstEnd(from), LINE_MAX_COLUMNS);
  return { tokens, columns, firstEnd, cueEnd };
}

/** @returns the ends of all cues, which are of about equal length */
function cueEnds(row: Row): number[] {
  const all = row.tokens.length;
  let left = 0;
  for (let from = 0; from < all; from = row.cueEnd(from)) left += 1;
  const ends: number[] = [];
  for (let from = 0; from < all; left -= 1) {
    const latest = row.cueEnd(from);
    const best = row.columns(from, all) / Math.max(2, left);
    from =
      latest === all ? all : bestBreak(row, { from, latest, cost: (end) => Math.abs(row.columns(from, end) - best) });
    ends.push(from);
  }
  return ends;
}

/** Returns one line, or two of about equal length. */
function cueLines(row: Row, from: number, end: number): string[] {
  const latest = row.firstEnd(from);
  if (latest >= end) return [lineOf(row, from, end)];
  const cost = (middle: number): number => {
    const second = row.columns(middle, end);
    return second > LINE_MAX_COLUMNS ? Infinity : Math.abs(row.columns(from, middle) - second) / 2;
  };
  const middle = bestBreak(row, { from, latest, cost });
  return [lineOf(row, from, middle), lineOf(row, middle, end)];
}

/** @returns the cheapest break up to the latest possible one; breaks after a sentence or a clause are cheaper */
function bestBreak(
  { tokens }: Row,
  { from, latest, cost }: { from: number; latest: number; cost: (end: number) => number },
): number {
  let best = { end: latest, cost: Infinity };
  for (let end = from + 1; end <= latest; end += 1) {
    const found = cost(end) - worthOf(tokens[end - 1]?.text ?? '');
    if (found < best.cost) best = { end, cost: found };
  }
  return best.end;
}

function worthOf(lastWord: string): number {
  if (SENTENCE_END.test(lastWord)) return SENTENCE_WORTH;
  return CLAUSE_END.test(lastWord) ? SENTENCE_WORTH / 2 : 0;
}

function lineOf({ tokens }: Row, from: number, end: number): string {
  return tokens
    .slice(from, end)
    .map(({ text, isSpaced }, i) => (isSpaced && i > 0 ? ` ${text}` : text))
    .join('');
}
