import { endAtNext, type Cue } from './cue.ts';

/** The platform puts cues of 10 ms between the steps of a rolling display; what is further apart does not touch. */
const TOUCH_MAX_MS = 100;
/** More than any display holds. Keeps the search for an overlap short, whatever a file says. */
const DISPLAY_MAX_WORDS = 100;

/**
 * Takes out of automatic captions what each cue repeats of the one before, so that each word comes once, at the time
 * at which it first appears. A display of two lines shows a line twice: while it is spoken, and above the next one.
 *
 * What a cue repeats is the longest run of whole words that ends the cue before and begins this one. That cannot tell
 * a repeated display from a speaker who repeats himself: where one cue ends with "no" and the next one begins with "no", a
 * word that was said is lost. So it is done only
 * - for automatic captions (the caller sees to it): in manual ones every word was meant;
 * - between cues that touch in time, or where the whole last line stands above a new one;
 * - in tracks that roll: at least half of the cues that touch must repeat something.
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

/** @returns `repeated`: how many words at the beginning of the cue are old */
function stepTo(cue: Cue, before: Cue | undefined) {
  if (before === undefined) return { touches: false, repeated: 0 };
  if (cue.startMs <= before.endMs + TOUCH_MAX_MS) {
    return { touches: true, repeated: overlapOf(wordsOf(before), wordsOf(cue)) };
  }
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
