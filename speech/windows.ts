import type { Span, SpeechWindow } from '../contract/speech-results.ts';
import type { SpeechRegions } from './regions.ts';

/** A window ends at the longest pause in its last fifth. A single longer region becomes a window of its own. */
export function cutWindows({ speech }: Pick<SpeechRegions, 'speech'>, maxSeconds: number): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  for (let first = 0; first < speech.length;) {
    const count = regionCount(speech.slice(first), maxSeconds);
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

/** The windows cover the whole audio, because voice activity detection misses distant voices that an engine may find. */
export function coverWindows({ durationSeconds, speech }: SpeechRegions, maxSeconds: number): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  for (let startSeconds = 0; startSeconds < durationSeconds;) {
    const endSeconds =
      durationSeconds - startSeconds <= maxSeconds
        ? durationSeconds
        : pauseWithin({ startSeconds: startSeconds + 0.8 * maxSeconds, endSeconds: startSeconds + maxSeconds }, speech);
    const window = { startSeconds, endSeconds };
    windows.push({ ...window, speech: partsWithin(window, speech) });
    startSeconds = endSeconds;
  }
  return windows;
}

/** @returns the middle of the longest pause, or the end if there is none */
function pauseWithin({ startSeconds, endSeconds }: Span, speech: readonly Span[]): number {
  const inside = partsWithin({ startSeconds, endSeconds }, speech);
  let best = { seconds: -1, middle: endSeconds };
  for (let next = 0; next <= inside.length; next += 1) {
    const from = inside[next - 1]?.endSeconds ?? startSeconds;
    const to = inside[next]?.startSeconds ?? endSeconds;
    // There is no pause if speech continues beyond the boundary.
    if (to === from && (next === 0 || next === inside.length)) continue;
    if (to - from > best.seconds) best = { seconds: to - from, middle: (from + to) / 2 };
  }
  return best.middle;
}

/** @param more intervals that the engine detected itself @returns the union in order, without overlaps */
export function unitedSpeech(speech: readonly Span[], more: readonly Span[]): Span[] {
  const united = [...speech];
  for (const span of [...more].sort(byStart)) {
    let { startSeconds } = span;
    for (const known of partsWithin(span, united).sort(byStart)) {
      united.push({ startSeconds, endSeconds: known.startSeconds });
      startSeconds = known.endSeconds;
    }
    united.push({ ...span, startSeconds });
  }
  return united.filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > SLIVER_SECONDS).sort(byStart);
}

/** A shorter interval is a difference between two detected boundaries and not speech. */
const SLIVER_SECONDS = 0.05;

export function partsWithin(outer: Span, spans: readonly Span[]): Span[] {
  return spans
    .map((span) => ({
      startSeconds: Math.max(outer.startSeconds, span.startSeconds),
      endSeconds: Math.min(outer.endSeconds, span.endSeconds),
    }))
    .filter(({ startSeconds, endSeconds }) => startSeconds < endSeconds);
}

const byStart = (a: Span, b: Span): number => a.startSeconds - b.startSeconds;

function regionCount(speech: readonly Span[], maxSeconds: number): number {
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
