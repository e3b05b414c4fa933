import { z } from 'zod';
import { columnsOf, type TimedText } from './cue-tokens.ts';
import { cuesOf, type Cue } from './cues.ts';

export interface TimedLine extends TimedText {
  /** The speaker, such as `Speaker 1`; absent in a transcript without speaker labels. */
  readonly speaker?: string;
}

const PARAGRAPH_PAUSE_SECONDS = 2;

/** Writes a file line by line, so that hours of speech need little memory. */
export interface ExportWriter {
  readonly begin: string;
  /** @param line a line whose text is not blank */
  line(line: TimedLine): Iterable<string>;
  end(): string;
}

/** SubRip has no escapes. Only arrows are replaced, because many players search for them to find the next cue. */
export function srtWriter(): ExportWriter {
  let number = 0;
  return {
    begin: '',
    *line(line) {
      const label = line.speaker === undefined ? '' : `${oneLine(line.speaker)}: `;
      for (const cue of cuesOf(line, columnsOf(label))) {
        const text = `${label}${cue.lines.join('\n')}`.replaceAll('-->', '→');
        number += 1;
        yield `${number === 1 ? '' : '\n'}${String(number)}\n${timing(cue, ',')}\n${text}\n`;
      }
    },
    end: () => '',
  };
}

export function webVttWriter(): ExportWriter {
  return {
    begin: 'WEBVTT\n',
    *line(line) {
      const voice = line.speaker === undefined ? '' : `<v ${escapeVtt(oneLine(line.speaker))}>`;
      for (const cue of cuesOf(line)) yield `\n${timing(cue, '.')}\n${voice}${escapeVtt(cue.lines.join('\n'))}\n`;
    },
    end: () => '',
  };
}

/** Plain text. A paragraph starts after a pause of more than two seconds and at a change of speaker. */
export function plainTextWriter(): ExportWriter {
  let before: TimedLine | undefined;
  let spokenUntil = 0;
  return {
    begin: '',
    *line(line) {
      const text = oneLine(line.text);
      const goesOn =
        before !== undefined &&
        before.speaker === line.speaker &&
        line.startSeconds - spokenUntil <= PARAGRAPH_PAUSE_SECONDS;
      const speaker = line.speaker === undefined ? '' : `${oneLine(line.speaker)}: `;
      yield goesOn ? ` ${text}` : `${before === undefined ? '' : '\n\n'}${speaker}${text}`;
      before = line;
      spokenUntil = Math.max(spokenUntil, line.startSeconds + line.durationSeconds);
    },
    end: () => (before === undefined ? '' : '\n'),
  };
}

export async function* writtenBy(
  writer: ExportWriter,
  lines: AsyncIterable<readonly TimedLine[]>,
): AsyncGenerator<string> {
  yield writer.begin;
  for await (const page of lines) {
    for (const line of page) {
      if (line.text.trim() !== '') yield* writer.line(line);
    }
  }
  yield writer.end();
}

/** WebVTT requires an end after the start, so a cue without a duration is written with one millisecond. */
function timing({ startSeconds, endSeconds }: Cue, decimalSign: string): string {
  const startMs = Math.max(0, Math.round(startSeconds * 1000));
  const endMs = Math.max(startMs + 1, Math.round(endSeconds * 1000));
  return `${clock(startMs, decimalSign)} --> ${clock(endMs, decimalSign)}`;
}

export function clock(ms: number, decimalSign: string): string {
  const totalSeconds = Math.floor(ms / 1000);
  const parts = [Math.floor(totalSeconds / 3600), Math.floor(totalSeconds / 60) % 60, totalSeconds % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${time}${decimalSign}${String(ms % 1000).padStart(3, '0')}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Escapes markup, and `-->`, which a cue must not contain. */
function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export const transcriptFormatSchema = z.enum(['srt', 'vtt', 'txt']);
export type TranscriptFormat = z.infer<typeof transcriptFormatSchema>;

export const TRANSCRIPT_FORMATS: Readonly<
  Record<TranscriptFormat, { readonly contentType: string; readonly writer: () => ExportWriter }>
> = {
  srt: { contentType: 'application/x-subrip', writer: srtWriter },
  vtt: { contentType: 'text/vtt', writer: webVttWriter },
  txt: { contentType: 'text/plain', writer: plainTextWriter },
};
