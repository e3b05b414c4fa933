import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { captionLines } from './cue.ts';
import { withoutRepeats } from './rolling.ts';
import { readCues } from './timed-text.ts';

/** The tags that players know, and the positions of another format (`{\an8}`) that many files carry. */
const MARKUP = /<\/?(?:i|b|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}/gi;

/**
 * Captions in SubRip, which has no escapes: `&amp;` in one is meant so.
 *
 * @throws JobError `upstream_error` for what are no captions
 */
export function parseSrt(text: string, kind: CaptionTrack['kind']): CaptionLine[] {
  const cues = readCues(text, {
    isBlank: (line) => line.trim() === '',
    toPlain: (marked) => marked.replace(MARKUP, ''),
  });
  return captionLines(kind === 'automatic' ? withoutRepeats(cues) : cues);
}
