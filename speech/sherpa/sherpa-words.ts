import { z } from 'zod';
import type { Span, SpeechWindow, Word } from '../../contract/speech-results.ts';
import { spokenWithin, spreadWords } from '../spread-words.ts';

/** What a recogniser says about a chunk; times in seconds of the samples that it was given. */
export const heardSchema = z.object({
  text: z.string(),
  tokens: z.array(z.string()),
  /** Of each token, or empty when the model does not tell them. */
  timestamps: z.array(z.number()),
  /** As `timestamps`, perhaps empty. */
  durations: z.array(z.number()),
  /** Sentences or so, with a duration of 0 when the end is not told; empty when the model does not tell them. */
  segments: z.array(z.object({ text: z.string(), startSeconds: z.number(), durationSeconds: z.number() })),
});
export type Heard = z.infer<typeof heardSchema>;

/** Shortest word, so that every word has an overlap with somebody. */
const LEAST_SECONDS = 0.02;

/**
 * Words of a chunk with the best times there are: those of tokens, else those of segments, whose words are spread by their
 * length, else they are spread over the speech.
 *
 * @param sampled what the recogniser was given: the chunk with its margins, in the whole audio. No word is beyond it
 */
export function wordsOf(heard: Heard, chunk: SpeechWindow, sampled: Span): Word[] {
  const words =
    wordsOfTokens(heard, sampled.startSeconds) ??
    wordsOfSegments(heard, chunk, sampled.startSeconds) ??
    spreadWords(withBlanks(heard.text), chunk.speech);
  return words.map((word) => within(word, sampled));
}

/** @returns undefined when tokens have no times, or are not the words of the text */
function wordsOfTokens({ text, tokens, timestamps, durations }: Heard, offsetSeconds: number): Word[] | undefined {
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
  // Letters of several bytes may be parted between tokens, which are garbled then. The text is not.
  const written = text.split(/\s+/).filter((word) => word !== '');
  if (written.length !== timed.length) return undefined;
  return timed.map(({ startSeconds, endSeconds }, i) => ({
    text: written[i] ?? '',
    startSeconds,
    endSeconds: endSeconds > startSeconds ? endSeconds : (timed[i + 1]?.startSeconds ?? endSeconds),
  }));
}

function wordsOfSegments({ segments }: Heard, chunk: SpeechWindow, offsetSeconds: number): Word[] | undefined {
  if (segments.length === 0) return undefined;
  return segments.flatMap(({ text, startSeconds, durationSeconds }, i) => {
    const start = offsetSeconds + startSeconds;
    const next = segments[i + 1];
    const untold = next === undefined ? chunk.endSeconds : offsetSeconds + next.startSeconds;
    const span = { startSeconds: start, endSeconds: durationSeconds > 0 ? start + durationSeconds : untold };
    return spreadWords(withBlanks(text), spokenWithin(span, chunk.speech));
  });
}

/** Scripts without blanks: a sentence, or a part of one, counts as a word. */
function withBlanks(text: string): string {
  return text.replace(/([。！？，、；：])(?=\S)/gu, '$1 ');
}

function within({ text, startSeconds, endSeconds }: Word, { startSeconds: first, endSeconds: last }: Span): Word {
  const start = Math.min(Math.max(startSeconds, first), Math.max(first, last - LEAST_SECONDS));
  return { text, startSeconds: start, endSeconds: Math.min(last, Math.max(endSeconds, start + LEAST_SECONDS)) };
}
