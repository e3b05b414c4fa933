import { decodeHTMLStrict } from 'entities';
import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { captionLines } from './cue.ts';
import { parseJson3 } from './parse-json3.ts';
import { withoutRepeats } from './rolling.ts';
import { readCues, type TimedTextDialect } from './timed-text.ts';

/** The supported formats, the best first: the platform's JSON does not repeat the lines of a rolling display. */
export const CAPTION_FORMATS = ['json3', 'vtt', 'srt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** Times of words and the tags of WebVTT. Any other `<` stays, as in "I <3 you". */
const VTT_TAGS = /<(?:\d+:)?\d\d:\d\d\.\d{3}>|<\/?(?:c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]*)?>/g;
/** Tags that players support, and the positions of another format (`{\an8}`) in many files. */
const SRT_MARKUP = /<\/?(?:i|b|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}/gi;

const DIALECTS: Readonly<Record<'vtt' | 'srt', TimedTextDialect>> = {
  vtt: {
    // A line of spaces does not end a cue: the recogniser's first cue has one.
    isBlank: (line) => line === '',
    toPlain: (marked) => decodeHTMLStrict(marked.replace(VTT_TAGS, '')),
  },
  // SubRip has no escapes: `&amp;` is literal.
  srt: { isBlank: (line) => line.trim() === '', toPlain: (marked) => marked.replace(SRT_MARKUP, '') },
};

/** @returns the lines by start time, without repetitions of automatic captions @throws JobError for another format */
export function parseCaptions(text: string, format: CaptionFormat, kind: CaptionTrack['kind']): CaptionLine[] {
  if (format === 'json3') return parseJson3(text);
  const cues = readCues(text, DIALECTS[format]);
  return captionLines(kind === 'automatic' ? withoutRepeats(cues) : cues);
}
