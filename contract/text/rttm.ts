import type { Span } from '../speech-results.ts';

export interface RttmSegment extends Span {
  readonly file: string;
  readonly speaker: string;
}

/** A line of NIST RT-09, appendix A, to the millisecond. Spaces separate fields, so spaces in names become `_`. */
export function rttmLine({ file, speaker, startSeconds, endSeconds }: RttmSegment): string {
  const startMs = Math.round(startSeconds * 1000);
  const durationMs = Math.round(endSeconds * 1000) - startMs;
  const times = `${(startMs / 1000).toFixed(3)} ${(durationMs / 1000).toFixed(3)}`;
  return `SPEAKER ${nameOf(file)} 1 ${times} <NA> <NA> ${nameOf(speaker)} <NA> <NA>\n`;
}

function nameOf(text: string): string {
  return text.trim().replace(/\s+/g, '_') || '<NA>';
}
