import { decodeHTMLStrict } from 'entities';
import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript.ts';
import { captionLines } from './cue.ts';
import { withoutRepeats } from './rolling.ts';
import { readCues } from './timed-text.ts';

/** Times of words, and the tags that WebVTT knows. Any other `<` stays: authors write "I <3 you" where they should not. */
const TAGS = /<(?:\d+:)?\d\d:\d\d\.\d{3}>|<\/?(?:c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]*)?>/g;

/**
 * Captions in WebVTT. Of automatic ones, what a rolling display repeats is taken out.
 *
 * @throws JobError `upstream_error` for what are no captions
 */
export function parseVtt(text: string, kind: CaptionTrack['kind']): CaptionLine[] {
  const cues = readCues(text, {
    // A line of spaces is a line: the recogniser's first cue has one where the line above will be.
    isBlank: (line) => line === '',
    toPlain: (marked) => decodeHTMLStrict(marked.replace(TAGS, '')),
  });
  return captionLines(kind === 'automatic' ? withoutRepeats(cues) : cues);
}
