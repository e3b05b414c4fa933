import { tokensOf } from '../../../contract/text/cue-tokens.ts';
import type { SpeakerNames } from '../../../contract/kinds/speaker-names.ts';

export function nameIn(names: SpeakerNames, label: string): string {
  return Object.hasOwn(names, label) ? (names[label] ?? label) : label;
}

/** A line of a transcript of any origin; times in seconds. */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly duration: number;
  /** The speaker label; undefined if speakers were not identified. */
  readonly speaker?: string | undefined;
  /** The start of each word; undefined if it is not known. */
  readonly wordStarts?: readonly number[] | undefined;
  /** The probability of each word; undefined if it is not known. */
  readonly wordConfidences?: readonly number[] | undefined;
}

export interface VoiceSegment {
  readonly start: number;
  readonly duration: number;
  readonly speaker: string;
}

export interface Transcript {
  readonly lines: readonly Line[];
  readonly voiceSegments: readonly VoiceSegment[];
}

export interface SpokenWord {
  readonly text: string;
  readonly start: number;
  /** Whether it may be another word. */
  readonly isUnsure?: boolean;
}

const UNSURE_BELOW = 0.4;

/** Returns the words of a line. Unknown times are estimated from the length of the words. */
export function wordsOf({ text, start, duration, wordStarts, wordConfidences }: Line): readonly SpokenWord[] {
  const tokens = tokensOf({ text, startSeconds: start, durationSeconds: duration, wordStarts });
  // If a word is longer than a line of subtitles, its first part gives its start.
  const starts = tokens.filter(({ isSpaced }) => isSpaced).map(({ startSeconds }) => startSeconds);
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word, index) => ({
    text: word,
    start: starts[index] ?? start,
    ...((wordConfidences?.[index] ?? 1) < UNSURE_BELOW ? { isUnsure: true } : {}),
  }));
}

/** @returns the index of the last item that has started; -1 before the first */
export function currentOf(begun: readonly { readonly start: number }[], seconds: number): number {
  let low = 0;
  let high = begun.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((begun[middle]?.start ?? 0) <= seconds + 0.01) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the labels of all speakers in the order of their numbers. */
export function speakersOf({ lines, voiceSegments }: Transcript): readonly string[] {
  const labels = new Set([...lines, ...voiceSegments].flatMap(({ speaker }) => speaker ?? []));
  return [...labels].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
