import { z } from 'zod';
import { toPlainText, toSrt, toWebVtt, type TimedLine } from './transcript-exports.ts';

/** The formats in which a transcript can be had as a file, by the ending of its URL. */
export const transcriptFormatSchema = z.enum(['srt', 'vtt', 'txt']);
export type TranscriptFormat = z.infer<typeof transcriptFormatSchema>;

export const TRANSCRIPT_FORMATS: Readonly<
  Record<TranscriptFormat, { readonly contentType: string; readonly write: (lines: readonly TimedLine[]) => string }>
> = {
  srt: { contentType: 'application/x-subrip', write: toSrt },
  vtt: { contentType: 'text/vtt', write: toWebVtt },
  txt: { contentType: 'text/plain', write: toPlainText },
};
