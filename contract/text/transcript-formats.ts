import { z } from 'zod';
import { plainTextWriter, srtWriter, webVttWriter, type ExportWriter } from './transcript-exports.ts';

export const transcriptFormatSchema = z.enum(['srt', 'vtt', 'txt']);
export type TranscriptFormat = z.infer<typeof transcriptFormatSchema>;

export const TRANSCRIPT_FORMATS: Readonly<
  Record<TranscriptFormat, { readonly contentType: string; readonly writer: () => ExportWriter }>
> = {
  srt: { contentType: 'application/x-subrip', writer: srtWriter },
  vtt: { contentType: 'text/vtt', writer: webVttWriter },
  txt: { contentType: 'text/plain', writer: plainTextWriter },
};
