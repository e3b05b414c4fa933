import type { Span, Word } from '../contract/speech.ts';

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
  let before = 0;
  return words.flatMap((word, i) => {
    const start = (before / whole) * spoken;
    before += weights[i] ?? 0;
    const end = (before / whole) * spoken;
    const place = placeOf({ start, end }, speech);
    return place === undefined ? [] : [{ text: word, ...place }];
  });
}

/** @param part in seconds of speech, pauses not counted */
function placeOf({ start, end }: { start: number; end: number }, speech: readonly Span[]): Span | undefined {
  const middle = (start + end) / 2;
  let passed = 0;
  for (const { startSeconds, endSeconds } of speech) {
    const length = endSeconds - startSeconds;
    if (middle <= passed + length) {
      return {
        startSeconds: startSeconds + Math.max(0, start - passed),
        endSeconds: Math.min(endSeconds, startSeconds + end - passed),
      };
    }
    passed += length;
  }
  // Only by rounding: the middle of the last word is before the end of the speech.
  return speech.at(-1);
}
