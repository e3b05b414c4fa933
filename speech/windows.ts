import type { Span, SpeechWindow } from '../contract/speech.ts';
import type { SpeechRegions } from './regions.ts';

/** Longest window: what is lost by a crash, and what decides how much memory an engine needs. */
export const WINDOW_MAX_SECONDS = 300;

/**
 * Cuts the audio into windows at pauses. Stretches without speech that fall between two windows belong to none.
 *
 * Each window takes as much speech as fits; of the pauses in its last fifth the longest is where it ends.
 *
 * @param maxSeconds longest window; a single region that is longer is a window of its own
 */
export function cutWindows(
  { speech }: Pick<SpeechRegions, 'speech'>,
  maxSeconds: number = WINDOW_MAX_SECONDS,
): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  for (let first = 0; first < speech.length;) {
    const count = howMany(speech.slice(first, first + MOST_REGIONS), maxSeconds);
    const part = speech.slice(first, first + count);
    windows.push({
      startSeconds: part[0]?.startSeconds ?? 0,
      endSeconds: part.at(-1)?.endSeconds ?? 0,
      speech: part,
    });
    first += count;
  }
  return windows;
}

/** The regions of a window are an argument of a program, whose length has a limit. */
const MOST_REGIONS = 2_000;

function howMany(speech: readonly Span[], maxSeconds: number): number {
  const start = speech[0]?.startSeconds ?? 0;
  const fitting = speech.findIndex((region) => region.endSeconds - start > maxSeconds);
  if (fitting === -1) return speech.length;
  let best = Math.max(1, fitting);
  let longestPause = -1;
  for (let count = best; count > 0; count--) {
    const end = speech[count - 1]?.endSeconds ?? 0;
    if (end - start < maxSeconds * 0.8 && count < best) break;
    const pause = (speech[count]?.startSeconds ?? end) - end;
    if (pause > longestPause) [best, longestPause] = [count, pause];
  }
  return best;
}
