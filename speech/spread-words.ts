import type { Span, Word } from '../contract/speech-results.ts';

/**
 * Gives times to words whose server tells none: they are spread over the speech by their length, as if everybody spoke
 * at one speed. A word that falls on a pause lies on the side that holds its middle.
 *
 * @param text words parted by blanks; where a script has none, a sentence is one word
 * @param speech in order
 */
export function spreadWords(text: string, speech: readonly Span[]): Word[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const spoken = speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  // One more for the gap to the next word, so that short words are not too short.
  const weights = words.map((word) => word.length + 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const places = placesIn(speech);
  let before = 0;
  return words.flatMap((word, i) => {
    const start = (before / whole) * spoken;
    before += weights[i] ?? 0;
    const end = (before / whole) * spoken;
    const place = places({ start, end });
    return place === undefined ? [] : [{ text: word, ...place }];
  });
}

/** @returns what is speech within a span, or the span where nothing of it is */
export function spokenWithin(span: Span, speech: readonly Span[]): Span[] {
  const spoken = speech
    .map(({ startSeconds, endSeconds }) => ({
      startSeconds: Math.max(startSeconds, span.startSeconds),
      endSeconds: Math.min(endSeconds, span.endSeconds),
    }))
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds);
  return spoken.length === 0 ? [span] : spoken;
}

/** Call what it returns for parts in order: one pass over the speech is enough. Parts are in seconds of speech, pauses not counted. */
function placesIn(speech: readonly Span[]): (part: { start: number; end: number }) => Span | undefined {
  let at = 0;
  let passed = 0;
  return ({ start, end }) => {
    const middle = (start + end) / 2;
    for (; ; at += 1) {
      const span = speech[at];
      // Only by rounding: the middle of the last word is before the end of the speech.
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
