import { decodeHTMLStrict } from 'entities';
import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { captionLines } from './cue.ts';
import { parseJson3 } from './parse-json3.ts';
import { withoutRepeats } from './rolling.ts';
import { readCues, type TimedTextDialect } from './timed-text.ts';

/** The formats that are read, the best first: the platform's own JSON does not repeat what a rolling display shows. */
export const CAPTION_FORMATS = ['json3', 'vtt', 'srt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** Times of words, and the tags that WebVTT knows. Any other `<` stays: authors write "I <3 you" where they should not. */
const VTT_TAGS = /<(?:\d+:)?\d\d:\d\d\.\d{3}>|<\/?(?:c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]*)?>/g;
/** The tags that players know, and the positions of another format (`{\an8}`) that many files carry. */
const SRT_MARKUP = /<\/?(?:i|b|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}/gi;

const DIALECTS: Readonly<Record<'vtt' | 'srt', TimedTextDialect>> = {
  vtt: {
    // A line of spaces is a line: the recogniser's first cue has one where the line above will be.
    isBlank: (line) => line === '',
    toPlain: (marked) => decodeHTMLStrict(marked.replace(VTT_TAGS, '')),
  },
  // It has no escapes: `&amp;` in one is meant so.
  srt: { isBlank: (line) => line.trim() === '', toPlain: (marked) => marked.replace(SRT_MARKUP, '') },
};

/**
 * Of automatic captions, what a rolling display repeats is taken out.
 *
 * @returns the lines of a track by their start; none when the track is empty
 * @throws JobError `upstream_error` for what are no captions of this format
 */
export function parseCaptions(text: string, format: CaptionFormat, kind: CaptionTrack['kind']): CaptionLine[] {
  if (format === 'json3') return parseJson3(text);
  const cues = readCues(text, DIALECTS[format]);
  return captionLines(kind === 'automatic' ? withoutRepeats(cues) : cues);
}
