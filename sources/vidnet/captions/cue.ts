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
