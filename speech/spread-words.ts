import type { Span, Word } from '../contract/speech-results.ts';
import { partsWithin } from './windows.ts';

export function spreadWords(text: string, speech: readonly Span[]): Word[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return spreadTexts(words, speech);
}

/** Estimates the times of words as if everybody spoke at one speed. A word at a pause goes to the side that contains its middle. */
export function spreadTexts(words: readonly string[], speech: readonly Span[]): Word[] {
  const spoken = speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  // The added 1 stands for the gap to the next word, so that short words are not too short.
  const weights = words.map((word) => word.length + 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const toSpan = spanMapper(speech);
  let before = 0;
  return words.flatMap((word, i) => {
    const start = (before / whole) * spoken;
    before += weights[i] ?? 0;
    const end = (before / whole) * spoken;
    const span = toSpan({ start, end });
    return span === undefined ? [] : [{ text: word, ...span }];
  });
}

export function spokenWithin(span: Span, speech: readonly Span[]): Span[] {
  const spoken = partsWithin(span, speech);
  return spoken.length === 0 ? [span] : spoken;
}

/** Maps intervals of speech to the whole audio; it must be called in order, so that one pass is enough. */
function spanMapper(speech: readonly Span[]): (part: { start: number; end: number }) => Span | undefined {
  let at = 0;
  let passed = 0;
  return ({ start, end }) => {
    const middle = (start + end) / 2;
    for (; ; at += 1) {
      const span = speech[at];
      // This happens only through rounding: the middle of the last word is before the end of the speech.
      if (span === undefined) return speech.at(-1);
      const length = span.endSeconds - span.startSeconds;
      if (middle <= passed + length) {
        return {
          startSeconds: span.startSeconds + Math.max(0, start - passed),
          endSeconds: Math.min(span.endSeconds, span.startSeconds + end - passed),
        };
      }
      passed += length;
    }
  };
}
