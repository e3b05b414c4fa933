import { CAPTION_LINE_MAX_CHARS } from './limits.ts';
import type { CaptionLine } from './kinds/transcript.ts';

/** Where a long line is cut, if it has no blank there. A character of two halves is not cut apart. */
const EARLIEST_CUT = CAPTION_LINE_MAX_CHARS / 2;

/**
 * Parts a line that is longer than a line may be: at blanks where there are some, as if all of it was spoken at one speed.
 *
 * @returns the line itself when it is short enough
 */
export function* partsOfLine(line: CaptionLine): Generator<CaptionLine> {
  const { text, startSeconds, durationSeconds } = line;
  if (text.length <= CAPTION_LINE_MAX_CHARS) {
    yield line;
    return;
  }
  const momentOf = (place: number): number => startSeconds + (durationSeconds * place) / text.length;
  for (let from = 0; from < text.length;) {
    const end = cutAfter(text, from);
    const part = text.slice(from, end).trim();
    const start = momentOf(from);
    if (part !== '') yield { startSeconds: start, durationSeconds: momentOf(end) - start, text: part };
    from = end;
  }
}

function cutAfter(text: string, from: number): number {
  const latest = from + CAPTION_LINE_MAX_CHARS;
  if (latest >= text.length) return text.length;
  const blank = text.lastIndexOf(' ', latest);
  if (blank > from + EARLIEST_CUT) return blank + 1;
  return /[\uDC00-\uDFFF]/.test(text.charAt(latest)) ? latest - 1 : latest;
}
