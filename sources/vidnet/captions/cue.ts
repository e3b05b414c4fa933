import type { CaptionLine } from '../../../contract/kinds/transcript.ts';

/** What is on the screen for a while. Whole milliseconds, so that sums stay exact. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** Its lines from top to bottom, cleaned and not empty. */
  readonly lines: readonly string[];
}

/** Invisible, and no part of a word: zero-width space, word joiner, byte order mark, and control characters. */
const NOISE = /[\u200b\u2060\ufeff]|(?!\s)\p{Cc}/gu;
const VISIBLE = /[^\s\p{Cf}]/u;

/** @returns the text in one line with single spaces; empty when nothing of it can be seen */
export function cleanText(text: string): string {
  const clean = text.replace(NOISE, '').replace(/\s+/g, ' ').trim();
  return VISIBLE.test(clean) ? clean : '';
}

/** @returns the caption lines of cues, without those that show nothing */
export function captionLines(cues: readonly Cue[]): CaptionLine[] {
  return cues
    .filter((cue) => cue.lines.length > 0)
    .map((cue) => ({
      startSeconds: cue.startMs / 1000,
      durationSeconds: Math.max(0, cue.endMs - cue.startMs) / 1000,
      text: cue.lines.join(' '),
    }));
}

/** Ends each cue when the next one begins: on a rolling display a line stays while the next one is spoken. */
export function endAtNext(cues: readonly Cue[]): Cue[] {
  return cues.map((cue, index) => {
    const next = cues[index + 1];
    // Two that begin together are two speakers at once; ending one there would leave it no time at all.
    return next === undefined || next.startMs <= cue.startMs
      ? cue
      : { ...cue, endMs: Math.min(cue.endMs, next.startMs) };
  });
}
