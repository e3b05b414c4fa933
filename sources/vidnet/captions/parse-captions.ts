import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { parseJson3 } from './parse-json3.ts';
import { parseSrt } from './parse-srt.ts';
import { parseVtt } from './parse-vtt.ts';

/** The formats that are read, the best first: the platform's own JSON does not repeat what a rolling display shows. */
export const CAPTION_FORMATS = ['json3', 'vtt', 'srt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/**
 * @returns the lines of a track by their start; none when the track is empty
 * @throws JobError `upstream_error` for what are no captions of this format
 */
export function parseCaptions(text: string, format: CaptionFormat, kind: CaptionTrack['kind']): CaptionLine[] {
  switch (format) {
    case 'json3':
      return parseJson3(text);
    case 'vtt':
      return parseVtt(text, kind);
    case 'srt':
      return parseSrt(text, kind);
  }
}
