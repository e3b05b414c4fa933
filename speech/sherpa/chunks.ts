import type { Span, SpeechWindow } from '../../contract/speech-results.ts';
import { cutWindows } from '../windows.ts';

/** Whisper processes only the first 30 s. */
const MAX_SECONDS = 28;
/** In longer silence recognisers hallucinate words. */
const PAUSE_SECONDS = 2;

export function cutChunks(speech: readonly Span[]): SpeechWindow[] {
  const groups: Span[][] = [];
  for (const region of speech.flatMap(inParts)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && region.startSeconds - last.endSeconds < PAUSE_SECONDS) {
      group.push(region);
    } else {
      groups.push([region]);
    }
  }
  return groups.flatMap((group) => cutWindows({ speech: group }, MAX_SECONDS));
}

/** Silero's regions are short enough, those of other detectors may not be. */
function inParts({ startSeconds, endSeconds }: Span): Span[] {
  const count = Math.ceil((endSeconds - startSeconds) / MAX_SECONDS);
  const length = (endSeconds - startSeconds) / count;
  return Array.from({ length: count }, (_, i) => ({
    startSeconds: startSeconds + i * length,
    endSeconds: startSeconds + (i + 1) * length,
  }));
}
