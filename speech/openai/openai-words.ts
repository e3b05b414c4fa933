import type { Span, SpeechWindow, Word } from '../../contract/speech-results.ts';
import { spokenWithin, spreadWords } from '../spread-words.ts';
import type { AnswerSegment, AnswerWord, TranscriptionAnswer } from './openai-response.ts';
import { withPunctuation } from './punctuation.ts';

/** Whisper tells times in steps of 20 ms, so the time of a short word may have no length. */
const SHORTEST_SECONDS = 0.02;
/** Scripts whose words are not parted by blanks. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * The words of an answer, with the best times that are in it: those of words, else those of segments, else none but the
 * speech's own.
 *
 * @param part what was sent: the answer's times count from its start
 * @returns words in the whole audio, none beyond the part
 */
export function wordsOf(answer: TranscriptionAnswer, part: SpeechWindow): readonly Word[] {
  return timesOf(answer, part).flatMap((word) => {
    const startSeconds = Math.max(part.startSeconds, Math.min(word.startSeconds, part.endSeconds - SHORTEST_SECONDS));
    const span = { startSeconds, endSeconds: Math.max(word.endSeconds, startSeconds + SHORTEST_SECONDS) };
    // A dash between blanks is part of the word before it.
    return /\s/.test(word.text) ? spreadWords(word.text, [span]) : [{ text: word.text, ...span }];
  });
}

function timesOf(answer: TranscriptionAnswer, part: SpeechWindow): readonly Word[] {
  const segments = answer.segments ?? [];
  const text = textOf(answer);
  const listed = timedWords(answer.words ?? [], part);
  if (listed !== undefined) return withPunctuation(joinPieces(listed), text);
  const nested = timedWords(
    segments.flatMap(({ words }) => words ?? []),
    part,
  );
  if (nested !== undefined && segments.every(({ text: own, words }) => isBlank(own) || (words ?? []).length > 0)) {
    return joinPieces(nested);
  }
  const spans = segments.map((segment) => spanOf(segment, part));
  const isTimed = segments.length > 0 && segments.every(({ text: own }, i) => isBlank(own) || spans[i] !== undefined);
  if (!isTimed) return spreadWords(text, part.speech);
  return segments.flatMap(({ text: own }, i) => {
    const span = spans[i];
    return span === undefined ? [] : spreadWords(own ?? '', spokenWithin(span, part.speech));
  });
}

/** @returns the segment's time in the whole audio; undefined when the server does not tell it */
export function spanOf({ start, end }: AnswerSegment | AnswerWord, part: Span): Span | undefined {
  // whisper.cpp writes -0.01 where it knows no time.
  if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start) return undefined;
  const within = (seconds: number): number => Math.min(part.startSeconds + seconds, part.endSeconds);
  return { startSeconds: within(start), endSeconds: within(end) };
}

export function textOf({ text, segments }: TranscriptionAnswer): string {
  return text ?? (segments ?? []).map((segment) => segment.text ?? '').join(' ');
}

/** @returns undefined when there are none, or one has no time */
function timedWords(words: readonly AnswerWord[], part: Span): Word[] | undefined {
  const timed = words.flatMap((word) => {
    const span = spanOf(word, part);
    return span === undefined ? [] : [{ text: word.word, ...span }];
  });
  return timed.length === 0 || timed.length < words.length ? undefined : timed;
}

/** What whisper.cpp lists as words are tokens: one that begins without a blank goes on with the word before. */
function joinPieces(pieces: readonly Word[]): Word[] {
  const hasBlanks = pieces.some(({ text }) => text.startsWith(' '));
  const words: Word[] = [];
  for (const piece of pieces) {
    const last = words.at(-1);
    if (hasBlanks && last !== undefined && !/^\s/.test(piece.text) && !UNSPACED.test(piece.text)) {
      words[words.length - 1] = { ...last, text: last.text + piece.text, endSeconds: piece.endSeconds };
    } else {
      words.push({ ...piece, text: piece.text.trim() });
    }
  }
  return words.filter(({ text }) => text !== '');
}

function isBlank(text: string | null | undefined): boolean {
  return (text ?? '').trim() === '';
}
