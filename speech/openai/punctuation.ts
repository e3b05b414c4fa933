import type { Word } from '../../contract/speech-results.ts';

/** What joins two halves of a word, or of a number, that a list of words parts. */
const JOINING: ReadonlySet<string | undefined> = new Set("-‐‑'’.,:/@&_");

/** Longer than anything that is said in five minutes; each letter is looked at. */
const LONGEST_TEXT = 50_000;

/**
 * Writes words as the text has them: the word lists of OpenAI leave out punctuation. Where list and text do not hold the
 * same letters, the words stay as they are.
 *
 * @param words in order
 * @param text what the same words say
 */
export function withPunctuation(words: readonly Word[], text: string): readonly Word[] {
  if (text.length > LONGEST_TEXT) return words;
  const spoken = words.filter((word) => lettersOf(word.text).length > 0);
  const places = placesIn(text, spoken);
  if (places === undefined) return words;
  const written: Word[] = [];
  for (const [i, word] of spoken.entries()) {
    const from = places[i] ?? 0;
    const piece = text.slice(from, places[i + 1] ?? text.length).trim();
    const last = written.at(-1);
    if (last !== undefined && JOINING.has(text[from - 1])) {
      written[written.length - 1] = { ...last, text: last.text + piece, endSeconds: word.endSeconds };
    } else {
      written.push({ ...word, text: piece });
    }
  }
  return written;
}

/** Where each word begins in the text, with the opening marks right before it; undefined when the letters differ. */
function placesIn(text: string, words: readonly Word[]): number[] | undefined {
  const letters = lettersOf(text);
  const places: number[] = [];
  let next = 0;
  for (const word of words) {
    const own = lettersOf(word.text);
    if (own.some(({ letter }, i) => letters[next + i]?.letter !== letter)) return undefined;
    const end = letters[next - 1]?.end ?? 0;
    const first = letters[next]?.start ?? end;
    const between = text.slice(end, first);
    // After a blank, marks open the next word: a quote, a bracket. Without one they end the word before.
    places.push(next === 0 || /\s/u.test(between) ? end + lastWordOf(between) : first);
    next += own.length;
  }
  return next === letters.length ? places : undefined;
}

/** Where the part after the last blank begins. Not by a pattern: those look from each letter to the end. */
function lastWordOf(text: string): number {
  let at = text.length;
  while (at > 0 && !/\s/u.test(text.charAt(at - 1))) at -= 1;
  return at;
}

function lettersOf(text: string): { letter: string; start: number; end: number }[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]/gu)].map((match) => ({
    letter: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
