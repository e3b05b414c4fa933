import { z } from 'zod';
import type { Span, SpeechWindow, Word } from '../../contract/speech-results.ts';
import { spreadWords } from '../spread-words.ts';

/** Times are in seconds of the samples. */
export const recognisedSchema = z.object({
  text: z.string(),
  tokens: z.array(z.string()),
  /** Empty if the model does not return it. */
  timestamps: z.array(z.number()),
  durations: z.array(z.number()),
});
export type Recognised = z.infer<typeof recognisedSchema>;

/** The shortest duration of a word, so that every word overlaps with a speaker. */
const LEAST_SECONDS = 0.02;

/** Uses the times of tokens, otherwise estimates. All words lie within `sampled`. */
export function wordsOf(recognised: Recognised, chunk: SpeechWindow, sampled: Span): Word[] {
  const words = wordsOfTokens(recognised, sampled.startSeconds) ?? spreadWords(recognised.text, chunk.speech);
  return words.map((word) => within(word, sampled));
}

/** @returns undefined if tokens have no times or do not match the words of the text */
function wordsOfTokens({ text, tokens, timestamps, durations }: Recognised, offsetSeconds: number): Word[] | undefined {
  if (tokens.length === 0 || timestamps.length !== tokens.length) return undefined;
  const spoken: { startSeconds: number; endSeconds: number; isBlank: boolean }[] = [];
  for (const [i, token] of tokens.entries()) {
    const startSeconds = offsetSeconds + (timestamps[i] ?? 0);
    const endSeconds = startSeconds + (durations[i] ?? 0);
    const isBlank = token.trim() === '';
    const last = spoken.at(-1);
    if (last === undefined || (token.startsWith(' ') && !last.isBlank)) {
      spoken.push({ startSeconds, endSeconds, isBlank });
    } else {
      spoken[spoken.length - 1] = {
        startSeconds: last.isBlank ? startSeconds : last.startSeconds,
        endSeconds: Math.max(last.endSeconds, endSeconds),
        isBlank: last.isBlank && isBlank,
      };
    }
  }
  const timed = spoken.filter(({ isBlank }) => !isBlank);
  // A character of several bytes may be split between tokens, which are invalid then. The text is not.
  const written = text.split(/\s+/).filter((word) => word !== '');
  if (written.length !== timed.length) return undefined;
  return timed.map(({ startSeconds, endSeconds }, i) => ({
    text: written[i] ?? '',
    startSeconds,
    endSeconds: endSeconds > startSeconds ? endSeconds : (timed[i + 1]?.startSeconds ?? endSeconds),
  }));
}

function within({ text, startSeconds, endSeconds }: Word, { startSeconds: first, endSeconds: last }: Span): Word {
  const start = Math.min(Math.max(startSeconds, first), Math.max(first, last - LEAST_SECONDS));
  return { text, startSeconds: start, endSeconds: Math.min(last, Math.max(endSeconds, start + LEAST_SECONDS)) };
}
