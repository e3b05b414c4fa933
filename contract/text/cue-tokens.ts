/** The usual maximum in guidelines for subtitles. */
export const LINE_MAX_COLUMNS = 42;

export interface TimedText {
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly text: string;
  /** The start of each space-separated word, in seconds; absent if it is unknown. */
  readonly wordStarts?: readonly number[] | undefined;
}

/** A part of a text that is not split between two lines. */
export interface Token {
  readonly text: string;
  readonly columns: number;
  readonly startSeconds: number;
  /** Whether a space precedes it. */
  readonly isSpaced: boolean;
}

/** @returns the words, and the parts of words that are longer than a line, as in languages without spaces */
export function tokensOf(text: TimedText): Token[] {
  const words = text.text.split(/\s+/).filter((word) => word !== '');
  const columns = words.map(columnsOf);
  const endSeconds = text.startSeconds + Math.max(0, text.durationSeconds);
  const starts = startsOf(columns, text);
  return words.flatMap((word, i) => {
    const startSeconds = starts[i] ?? endSeconds;
    const whole = { text: word, columns: columns[i] ?? 0 };
    if (whole.columns <= LINE_MAX_COLUMNS) return { ...whole, startSeconds, isSpaced: true };
    const parts = partsOf(word).map((part) => ({ text: part, columns: columnsOf(part) }));
    const partStarts = spread(
      parts.map((part) => part.columns),
      { startSeconds, durationSeconds: (starts[i + 1] ?? endSeconds) - startSeconds },
    );
    return parts.map((part, k) => ({ ...part, startSeconds: partStarts[k] ?? endSeconds, isSpaced: k === 0 }));
  });
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u;
const MARK = /\p{M}/u;
/** Characters below this code point are neither combining nor wide. */
const FIRST_MARK = 0x300;

/** The width of a text in columns. Chinese, Japanese and Korean characters take two columns, other letters one. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const sign of text) {
    columns += 1;
    if ((sign.codePointAt(0) ?? 0) >= FIRST_MARK) columns += (WIDE.test(sign) ? 1 : 0) - (MARK.test(sign) ? 1 : 0);
  }
  return columns;
}

/** Returns word times in ascending order and within the text, even if the engine reported others. */
function startsOf(columns: readonly number[], text: TimedText): number[] {
  const { startSeconds, durationSeconds, wordStarts } = text;
  if (wordStarts?.length !== columns.length) return spread(columns, text);
  let before = startSeconds;
  return wordStarts.map(
    (start) => (before = Math.min(Math.max(before, start), startSeconds + Math.max(0, durationSeconds))),
  );
}

/** Returns word times that assume a constant speed of speech. */
function spread(columns: readonly number[], { startSeconds, durationSeconds }: Omit<TimedText, 'text'>): number[] {
  // The added 1 stands for the gap to the next word, so that short words are not too short.
  const weights = columns.map((width) => width + 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  return weights.map((weight) => {
    const start = startSeconds + (Math.max(0, durationSeconds) * before) / whole;
    before += weight;
    return start;
  });
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Only parts of a word are segmented at once, because the time is quadratic: 24,000 characters take 0.9 s. */
const SEGMENTED = /.{1,200}/gsu;

/** Splits a word without separating punctuation from the text before it. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  for (const [text] of word.matchAll(SEGMENTED)) {
    for (const { segment, isWordLike } of segmenter.segment(text)) {
      if (isWordLike === true) parts.push(segment);
      else parts.push(`${parts.pop() ?? ''}${segment}`);
    }
  }
  return parts;
}
