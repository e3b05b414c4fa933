import type { Span } from '../contract/speech.ts';

/** A line of an RTTM file: who speaks when. */
export interface RttmTurn extends Span {
  readonly file: string;
  readonly speaker: string;
}

/**
 * Writes Rich Transcription Time Marked text (NIST RT-09, appendix A), to the millisecond. The format separates by
 * spaces, so those in names become `_`.
 */
export function writeRttm(turns: readonly RttmTurn[]): string {
  return turns
    .map(({ file, speaker, startSeconds, endSeconds }) => {
      const startMs = Math.round(startSeconds * 1000);
      const durationMs = Math.round(endSeconds * 1000) - startMs;
      const times = `${(startMs / 1000).toFixed(3)} ${(durationMs / 1000).toFixed(3)}`;
      return `SPEAKER ${nameOf(file)} 1 ${times} <NA> <NA> ${nameOf(speaker)} <NA> <NA>\n`;
    })
    .join('');
}

/** Reads the SPEAKER lines; comments (`;;`) and lines of other types are left out. @throws Error that names a wrong line */
export function readRttm(text: string): RttmTurn[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [type, file, , start = '', duration = '', , , speaker] = line.trim().split(/\s+/);
    if (type !== 'SPEAKER') return [];
    const [startSeconds, seconds] = [Number(start), Number(duration)];
    const isRight = start !== '' && duration !== '' && startSeconds >= 0 && seconds >= 0;
    if (!isRight || file === undefined || speaker === undefined)
      throw new Error(`line ${index + 1} is no RTTM: ${line}`);
    return [{ file, speaker, startSeconds, endSeconds: startSeconds + seconds }];
  });
}

function nameOf(text: string): string {
  return text.trim().replace(/\s+/g, '_') || '<NA>';
}
