import type { Span, SpeechWindow, Word } from '../../contract/speech-results.ts';
import { spokenWithin, spreadWords } from '../spread-words.ts';
import type { ResponseSegment, ResponseWord, TranscriptionResponse } from './openai-response.ts';
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
  const topLevel = timedWords(response.words ?? [], part);
  if (topLevel !== undefined) return withPunctuation(joinTokens(topLevel), text);
  const nested = timedWords(
    segments.flatMap(({ words }) => words ?? []),
    part,
  );
  if (nested !== undefined && segments.every(({ text: own, words }) => isBlank(own) || (words ?? []).length > 0)) {
    return joinTokens(nested);
  }
  const spans = segments.map((segment) => spanOf(segment, part));
  const hasTimes = segments.length > 0 && segments.every(({ text: own }, i) => isBlank(own) || spans[i] !== undefined);
  if (!hasTimes) return spreadWords(text, part.speech);
  return segments.flatMap(({ text: own }, i) => {
    const span = spans[i];
    return span === undefined ? [] : spreadWords(own ?? '', spokenWithin(span, part.speech));
  });
}

/** @returns the times in the whole audio; undefined if the server does not return them */
export function spanOf({ start, end }: ResponseSegment | ResponseWord, part: Span): Span | undefined {
  // whisper.cpp returns -0.01 for an unknown time.
  if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start) return undefined;
  const within = (seconds: number): number => Math.min(part.startSeconds + seconds, part.endSeconds);
  return { startSeconds: within(start), endSeconds: within(end) };
}

export function textOf({ text, segments }: TranscriptionResponse): string {
  return text ?? (segments ?? []).map((segment) => segment.text ?? '').join(' ');
}

function timedWords(words: readonly ResponseWord[], part: Span): Word[] | undefined {
  const timed = words.flatMap((word) => {
    const span = spanOf(word, part);
    return span === undefined ? [] : [{ text: word.word, ...span }];
  });
  return timed.length === 0 || timed.length < words.length ? undefined : timed;
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
