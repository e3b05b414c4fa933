import { CAPTION_LINE_MAX_CHARS } from '../request-limits.ts';
import type { CaptionLine } from '../kinds/transcript-facts.ts';

/** A line is not cut at a space before this offset, so that its parts are not too short. */
const EARLIEST_CUT = CAPTION_LINE_MAX_CHARS / 2;

/** Splits a line at spaces where possible. The times of the parts assume a constant speed of speech. */
export function* partsOfLine(line: CaptionLine): Generator<CaptionLine> {
  const { text, startSeconds, durationSeconds } = line;
  if (text.length <= CAPTION_LINE_MAX_CHARS) {
    yield line;
    return;
  }
  const timeAt = (offset: number): number => startSeconds + (durationSeconds * offset) / text.length;
  for (let from = 0; from < text.length;) {
    const end = cutAfter(text, from);
    const part = text.slice(from, end).trim();
    const start = timeAt(from);
    if (part !== '') yield { startSeconds: start, durationSeconds: timeAt(end) - start, text: part };
    from = end;
  }
}

function cutAfter(text: string, from: number): number {
  const latest = from + CAPTION_LINE_MAX_CHARS;
  if (latest >= text.length) return text.length;
  const blank = text.lastIndexOf(' ', latest);
  if (blank > from + EARLIEST_CUT) return blank + 1;
  // Surrogate pairs are not separated.
  return /[\uDC00-\uDFFF]/.test(text.charAt(latest)) ? latest - 1 : latest;
}
