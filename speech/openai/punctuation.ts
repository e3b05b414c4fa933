import type { Word } from '../../contract/speech-results.ts';

/** Characters that join two parts of a word or number that the word list separates. */
const JOINING: ReadonlySet<string | undefined> = new Set("-‐‑'’.,:/@&_");

/** More than five minutes of speech. Each character is inspected. */
const LONGEST_TEXT = 50_000;

/** The word lists of OpenAI omit punctuation. If list and text have different letters, the words stay as they are. */
export function withPunctuation(words: readonly Word[], text: string): readonly Word[] {
  if (text.length > LONGEST_TEXT) return words;
  const spoken = words.filter((word) => lettersOf(word.text).length > 0);
  const offsets = offsetsIn(text, spoken);
  if (offsets === undefined) return words;
  const written: Word[] = [];
  for (const [i, word] of spoken.entries()) {
    const from = offsets[i] ?? 0;
    const piece = text.slice(from, offsets[i + 1] ?? text.length).trim();
    const last = written.at(-1);
    if (last !== undefined && JOINING.has(text[from - 1])) {
      written[written.length - 1] = { ...last, text: last.text + piece, endSeconds: word.endSeconds };
    } else {
      written.push({ ...word, text: piece });
    }
  }
  return written;
}

/** Opening marks before a word belong to it; undefined if the letters differ. */
function offsetsIn(text: string, words: readonly Word[]): number[] | undefined {
  const letters = lettersOf(text);
  const offsets: number[] = [];
  let next = 0;
  for (const word of words) {
    const own = lettersOf(word.text);
    if (own.some(({ letter }, i) => letters[next + i]?.letter !== letter)) return undefined;
    const end = letters[next - 1]?.end ?? 0;
    const first = letters[next]?.start ?? end;
    const between = text.slice(end, first);
    // After a space, marks such as quotes and brackets belong to the next word, otherwise to the previous one.
    offsets.push(next === 0 || /\s/u.test(between) ? end + offsetAfterSpace(between) : first);
    next += own.length;
  }
  return next === letters.length ? offsets : undefined;
}

/** A regular expression would take quadratic time. */
function offsetAfterSpace(text: string): number {
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
