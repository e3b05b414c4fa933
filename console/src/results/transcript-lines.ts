import { tokensOf } from '../../../contract/text/cue-tokens.ts';
import {
  plainTextWriter,
  srtWriter,
  webVttWriter,
  type ExportWriter,
} from '../../../contract/text/transcript-formats.ts';
import { rttmLine } from '../../../contract/text/rttm.ts';

export type Names = Readonly<Record<string, string>>;

export function nameIn(names: Names, label: string): string {
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
}

export interface VoiceSegment {
  readonly start: number;
  readonly duration: number;
  readonly speaker: string;
}

export interface Transcript {
  readonly mediaId: string;
  readonly lines: readonly Line[];
  readonly voiceSegments: readonly VoiceSegment[];
}

export interface SpokenWord {
  readonly text: string;
  readonly start: number;
}

/** Returns the words of a line. Unknown times are estimated from the length of the words. */
export function wordsOf({ text, start, duration, wordStarts }: Line): readonly SpokenWord[] {
  const tokens = tokensOf({ text, startSeconds: start, durationSeconds: duration, wordStarts });
  // If a word is longer than a line of subtitles, its first part gives its start.
  const starts = tokens.filter(({ isSpaced }) => isSpaced).map(({ startSeconds }) => startSeconds);
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word, index) => ({ text: word, start: starts[index] ?? start }));
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

export const FORMATS = ['srt', 'vtt', 'txt', 'rttm', 'json'] as const;
export type Format = (typeof FORMATS)[number];
const WRITERS: Readonly<Record<'srt' | 'vtt' | 'txt', () => ExportWriter>> = {
  srt: srtWriter,
  vtt: webVttWriter,
  txt: plainTextWriter,
};

/** Formats a transcript as a file with the names of its speakers, with the same code as the files of the service. */
export function exported({ mediaId, lines, voiceSegments }: Transcript, format: Format, names: Names): string {
  switch (format) {
    case 'srt':
    case 'vtt':
    case 'txt': {
      const writer = WRITERS[format]();
      const parts = lines
        .filter(({ text }) => text.trim() !== '')
        .flatMap((line) => [...writer.line(timedOf(line, names))]);
      return [writer.begin, ...parts, writer.end()].join('');
    }
    case 'rttm':
      return voiceSegments
        .map(({ start, duration, speaker }) =>
          rttmLine({
            file: mediaId,
            speaker: nameIn(names, speaker),
            startSeconds: start,
            endSeconds: start + duration,
          }),
        )
        .join('');
    case 'json': {
      const named = <Item extends { readonly speaker?: string | undefined }>(item: Item): Item =>
        item.speaker === undefined ? item : { ...item, speaker: nameIn(names, item.speaker) };
      const body = { media_id: mediaId, lines: lines.map(named), turns: voiceSegments.map(named) };
      return `${JSON.stringify(body, null, 2)}\n`;
    }
  }
}

function timedOf({ text, start, duration, speaker, wordStarts }: Line, names: Names) {
  return {
    text,
    startSeconds: start,
    durationSeconds: duration,
    wordStarts,
    ...(speaker === undefined ? {} : { speaker: nameIn(names, speaker) }),
  };
}
