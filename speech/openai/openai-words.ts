import type { Span, SpeechWindow, Word } from '../../contract/speech-results.ts';
import { spokenWithin, spreadTexts, spreadWords } from '../spread-words.ts';
import type { ResponseWord, TranscriptionResponse } from './openai-response.ts';
import { withPunctuation } from './punctuation.ts';

/** The shortest duration of a word. Whisper rounds times to 20 ms, so a short word may have none. */
const SHORTEST_SECONDS = 0.02;
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Uses the times of words, then those of segments, otherwise estimates. @returns times in the whole audio */
export function wordsOf(response: TranscriptionResponse, part: SpeechWindow): readonly Word[] {
  return timesOf(response, part).flatMap((word) => {
    const startSeconds = Math.max(part.startSeconds, Math.min(word.startSeconds, part.endSeconds - SHORTEST_SECONDS));
    const span = { startSeconds, endSeconds: Math.max(word.endSeconds, startSeconds + SHORTEST_SECONDS) };
    // A dash between spaces belongs to the previous word.
    return /\s/.test(word.text) ? spreadWords(word.text, [span]) : [{ text: word.text, ...span }];
  });
}

function timesOf(response: TranscriptionResponse, part: SpeechWindow): readonly Word[] {
  const segments = response.segments ?? [];
  const text = textOf(response);
  const topLevel = timed((response.words ?? []).map(wordTimes), part);
  if (topLevel !== undefined) return withPunctuation(joinTokens(topLevel), text);
  const nested = timed(
    segments.flatMap(({ words }) => (words ?? []).map(wordTimes)),
    part,
  );
  if (nested !== undefined && segments.every(({ text: own, words }) => isBlank(own) || (words ?? []).length > 0)) {
    return joinTokens(nested);
  }
  const spoken = segments.filter((segment) => !isBlank(segment.text));
  const spans = timed(
    spoken.map(({ text: own, start, end }) => ({ text: own ?? '', start, end })),
    part,
  );
  if (spans === undefined) return spreadWords(text, part.speech);
  return spans.flatMap(({ text: own, ...span }) => spreadWords(own, spokenWithin(span, part.speech)));
}

const wordTimes = ({ word, start, end }: ResponseWord): Timed => ({ text: word, start, end });

export function textOf({ text, segments }: TranscriptionResponse): string {
  return text ?? (segments ?? []).map((segment) => segment.text ?? '').join(' ');
}

/** A word of a response, or a segment of several words. */
type Timed = Pick<ResponseWord, 'start' | 'end'> & { readonly text: string };

/** The longest duration of a word of which one end is unknown. */
const LONGEST_SECONDS = 1;

/**
 * Keeps the known times. Texts without a start share the time from the known one before them to the known one after them.
 * @returns undefined if no time is known
 */
function timed(texts: readonly Timed[], part: Span): Word[] | undefined {
  const within = (seconds: number): number => Math.min(part.startSeconds + seconds, part.endSeconds);
  // whisper.cpp returns -0.01 for an unknown time.
  const starts = texts.map(({ start }) => (typeof start === 'number' && start >= 0 ? within(start) : undefined));
  const ends = texts.map(({ end }, i) => {
    const known = typeof end === 'number' && end >= 0 ? within(end) : undefined;
    return known !== undefined && known < (starts[i] ?? part.startSeconds) ? undefined : known;
  });
  if ([...starts, ...ends].every((one) => one === undefined)) return undefined;
  const words: Word[] = [];
  for (let first = 0, last = 0; first < texts.length; first = last) {
    do last += 1;
    while (last < texts.length && ends[last - 1] === undefined && starts[last] === undefined);
    const run = texts.slice(first, last).map(({ text }) => text);
    const longest = LONGEST_SECONDS * run.join(' ').trim().split(/\s+/).length;
    const limit = ends[last - 1] ?? starts[last] ?? part.endSeconds;
    const before = words.at(-1)?.endSeconds ?? Math.max(part.startSeconds, limit - longest);
    const startSeconds = starts[first] ?? Math.min(before, limit);
    const endSeconds = ends[last - 1] ?? Math.max(startSeconds, Math.min(limit, startSeconds + longest));
    const span = { startSeconds, endSeconds };
    const [only] = run;
    words.push(...(run.length === 1 && only !== undefined ? [{ text: only, ...span }] : spreadTexts(run, [span])));
  }
  return words;
}

/** A token of whisper.cpp without a leading space continues the previous word. */
function joinTokens(tokens: readonly Word[]): Word[] {
  const hasBlanks = tokens.some(({ text }) => text.startsWith(' '));
  const words: Word[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (hasBlanks && last !== undefined && !/^\s/.test(token.text) && !UNSPACED.test(token.text)) {
      words[words.length - 1] = { ...last, text: last.text + token.text, endSeconds: token.endSeconds };
    } else {
      words.push({ ...token, text: token.text.trim() });
    }
  }
  return words.filter(({ text }) => text !== '');
}

function isBlank(text: string | null | undefined): boolean {
  return (text ?? '').trim() === '';
}
