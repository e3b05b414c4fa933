import { JobError } from '../../../runtime/job-error.ts';
import { cleanText, type Cue } from './cue.ts';

const TIME = String.raw`(-?)(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,] ?(\d+))?`;
/** `00:01.000 --> 00:02.500 align:start`; WebVTT may omit hours, and SubRip has a comma. Shifted files begin before 0. */
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s|$)`);

export interface TimedTextDialect {
  isBlank(line: string): boolean;
  /** Removes markup, but no line feeds. */
  toPlain(text: string): string;
}

/** All lines outside cues are ignored. @throws JobError `upstream_error` when the text has no cue and is not WebVTT */
export function readCues(text: string, dialect: TimedTextDialect): Cue[] {
  const whole = text.replace(/^\ufeff/, '');
  const found: { readonly startMs: number; readonly endMs: number; readonly texts: string[] }[] = [];
  let inside = false;
  for (const line of whole.split(/\r\n|\r|\n/)) {
    const timing = TIMING.exec(line);
    if (timing !== null) {
      // Some files of SubRip have no blank line before the number of the next cue.
      if (inside && /^\d+$/.test(found.at(-1)?.texts.at(-1) ?? '')) found.at(-1)?.texts.pop();
      found.push({ startMs: toMs(timing.slice(1, 6)), endMs: toMs(timing.slice(6, 11)), texts: [] });
      inside = true;
    } else if (dialect.isBlank(line)) {
      inside = false;
    } else if (inside) {
      found.at(-1)?.texts.push(line);
    }
  }
  // An error page or an empty body does not mean that there is no speech.
  if (found.length === 0 && !/^WEBVTT(?:\s|$)/.test(whole)) {
    throw new JobError('captionsUnreadable');
  }
  return found
    .map(({ texts, ...times }) => ({ ...times, lines: linesOf(dialect.toPlain(texts.join('\n'))) }))
    .filter((cue) => cue.lines.length > 0)
    .sort((a, b) => a.startMs - b.startMs);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(cleanText)
    .filter((line) => line !== '');
}

function toMs([sign, hours, minutes, seconds, fraction]: readonly (string | undefined)[]): number {
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (whole * 1000 + Number((fraction ?? '').padEnd(3, '0').slice(0, 3))) * (sign === '-' ? -1 : 1);
}
