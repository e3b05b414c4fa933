import { columnsOf, type TimedText } from './cue-tokens.ts';
import { cuesOf, type Cue } from './cues.ts';

/** A line of a transcript, whoever made it. */
export interface TimedLine extends TimedText {
  /** Who says it, such as `Speaker 1`; absent when nobody told the speakers apart. */
  readonly speaker?: string;
}

/** A longer pause than this begins a paragraph. */
const PARAGRAPH_PAUSE_SECONDS = 2;

/**
 * SubRip, which has no standard and no escapes: a text goes in as it is, so that a player may take `<i>` in it for
 * markup. Only an arrow is replaced, since many players look for it to find the next cue.
 */
export function toSrt(lines: readonly TimedLine[]): string {
  const cues = visible(lines).flatMap((line) => {
    const label = line.speaker === undefined ? '' : `${oneLine(line.speaker)}: `;
    return cuesOf(line, columnsOf(label)).map((cue) => {
      const text = `${label}${cue.lines.join('\n')}`.replaceAll('-->', '→');
      return `${timing(cue, ',')}\n${text}\n`;
    });
  });
  return cues.map((cue, index) => `${String(index + 1)}\n${cue}`).join('\n');
}

/** WebVTT as the W3C's specification of it writes files. */
export function toWebVtt(lines: readonly TimedLine[]): string {
  const cues = visible(lines).flatMap((line) => {
    const voice = line.speaker === undefined ? '' : `<v ${escapeVtt(oneLine(line.speaker))}>`;
    return cuesOf(line).map((cue) => `${timing(cue, '.')}\n${voice}${escapeVtt(cue.lines.join('\n'))}\n`);
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** Plain text in paragraphs. One begins after a pause of more than two seconds, and where another speaker begins. */
export function toPlainText(lines: readonly TimedLine[]): string {
  const paragraphs: string[] = [];
  let before: TimedLine | undefined;
  let spokenUntil = 0;
  for (const line of visible(lines)) {
    const text = oneLine(line.text);
    const goesOn =
      before !== undefined &&
      before.speaker === line.speaker &&
      line.startSeconds - spokenUntil <= PARAGRAPH_PAUSE_SECONDS;
    if (goesOn) paragraphs.push(`${paragraphs.pop() ?? ''} ${text}`);
    else paragraphs.push(line.speaker === undefined ? text : `${oneLine(line.speaker)}: ${text}`);
    before = line;
    spokenUntil = Math.max(spokenUntil, line.startSeconds + line.durationSeconds);
  }
  return paragraphs.map((paragraph) => `${paragraph}\n`).join('\n');
}

function visible(lines: readonly TimedLine[]): TimedLine[] {
  return lines.filter(({ text }) => text.trim() !== '');
}

/** WebVTT demands an end after the start, and a cue may last no time at all: then it is written with a millisecond. */
function timing({ startSeconds, endSeconds }: Cue, decimalSign: string): string {
  const startMs = Math.max(0, Math.round(startSeconds * 1000));
  const endMs = Math.max(startMs + 1, Math.round(endSeconds * 1000));
  return `${clock(startMs, decimalSign)} --> ${clock(endMs, decimalSign)}`;
}

function clock(ms: number, decimalSign: string): string {
  const totalSeconds = Math.floor(ms / 1000);
  const parts = [Math.floor(totalSeconds / 3600), Math.floor(totalSeconds / 60) % 60, totalSeconds % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${time}${decimalSign}${String(ms % 1000).padStart(3, '0')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Also what makes `-->` harmless, which no cue may hold. */
function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
