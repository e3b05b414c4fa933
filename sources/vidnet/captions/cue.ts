import type { CaptionLine } from '../../../contract/kinds/transcript-facts.ts';

/** Lines that are on the screen together. Whole milliseconds keep sums exact. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** From top to bottom, cleaned and not empty. */
  readonly lines: readonly string[];
}

/** Invisible characters: zero-width space, word joiner, byte order mark, and control characters. */
const NOISE = /[\u200b\u2060\ufeff]|(?!\s)\p{Cc}/gu;
const VISIBLE = /[^\s\p{Cf}]/u;

/** @returns the text in one line with single spaces; empty when it has no visible character */
export function cleanText(text: string): string {
  const clean = text.replace(NOISE, '').replace(/\s+/g, ' ').trim();
  return VISIBLE.test(clean) ? clean : '';
}

/** Leaves out what is before the start of the video. */
export function captionLines(cues: readonly Cue[]): CaptionLine[] {
  return cues
    .filter((cue) => cue.lines.length > 0 && Math.max(cue.startMs, cue.endMs) >= 0)
    .map((cue) => {
      const startMs = Math.max(0, cue.startMs);
      return {
        startSeconds: startMs / 1000,
        durationSeconds: Math.max(0, cue.endMs - startMs) / 1000,
        text: cue.lines.join(' '),
      };
    });
}

/** Ends each cue when the next one begins, because a rolling display shows a line while the next one is spoken. */
export function endAtNext(cues: readonly Cue[]): Cue[] {
  return cues.map((cue, index) => {
    const next = cues[index + 1];
    // Cues that begin together are two speakers at once.
    return next === undefined || next.startMs <= cue.startMs
      ? cue
      : { ...cue, endMs: Math.min(cue.endMs, next.startMs) };
  });
}

/** The platform separates the steps of a rolling display by cues of 10 ms. */
const TOUCH_MAX_MS = 100;
/** More than any display shows. The limit keeps the search for an overlap short. */
const DISPLAY_MAX_WORDS = 100;

/**
 * Removes from automatic captions the words that each cue repeats of the cue before: a display of two lines shows a line while it
 * is spoken, and again above the next one. The repeated words are the longest end of one cue that begins the next one.
 *
 * A speaker who repeats a word would lose it. So words are removed only between cues that touch in time or when the last line
 * stays above a new one, and only in tracks in which at least half of the touching cues repeat something.
 */
export function withoutRepeats(cues: readonly Cue[]): Cue[] {
  const steps = cues.map((cue, index) => stepTo(cue, cues[index - 1]));
  const touching = steps.filter(({ touches }) => touches).length;
  const repeating = steps.filter(({ touches, repeated }) => touches && repeated > 0).length;
  if (repeating === 0 || repeating < touching / 2) return endAtNext(cues);

  const fresh = cues.flatMap((cue, index) => {
    const words = wordsOf(cue).slice(steps[index]?.repeated ?? 0);
    return words.length === 0 ? [] : [{ ...cue, lines: [words.join(' ')] }];
  });
  return endAtNext(fresh);
}

/** @returns `repeated`: the number of words at the beginning of the cue that the cue before has too */
function stepTo(cue: Cue, before: Cue | undefined) {
  if (before === undefined) return { touches: false, repeated: 0 };
  if (cue.startMs <= before.endMs + TOUCH_MAX_MS)
    return { touches: true, repeated: overlapOf(wordsOf(before), wordsOf(cue)) };
  const [above] = cue.lines;
  const stays = cue.lines.length > 1 && above !== undefined && above === before.lines.at(-1);
  return { touches: false, repeated: stays ? above.split(' ').length : 0 };
}

/** @returns the length of the longest end of `before` that is a beginning of `after` */
function overlapOf(before: readonly string[], after: readonly string[]): number {
  const longest = Math.min(before.length, after.length, DISPLAY_MAX_WORDS);
  for (let length = longest; length > 0; length--) {
    const end = before.slice(-length);
    if (end.every((word, index) => word === after[index])) return length;
  }
  return 0;
}

function wordsOf(cue: Cue): string[] {
  return cue.lines.flatMap((line) => line.split(' '));
}
