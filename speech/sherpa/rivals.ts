import type { VoiceSegment } from '../../contract/speech-results.ts';

/** Who talk over each other for longer are two; less is how exact borders are. */
const TOGETHER_SECONDS = 0.5;

/**
 * Which speakers of a window talk at the same time.
 *
 * @param voices of one window, in order of their start
 * @returns for each such local speaker the others
 */
export function rivalsOf(voices: readonly VoiceSegment[]): ReadonlyMap<number, ReadonlySet<number>> {
  const seconds = new Map<number, Map<number, number>>();
  let open: VoiceSegment[] = [];
  for (const voice of voices) {
    open = open.filter(({ endSeconds }) => endSeconds > voice.startSeconds);
    for (const other of open) {
      const both = Math.min(other.endSeconds, voice.endSeconds) - voice.startSeconds;
      add(seconds, [voice.localSpeaker, other.localSpeaker], both);
      add(seconds, [other.localSpeaker, voice.localSpeaker], both);
    }
    open.push(voice);
  }
  return new Map(
    [...seconds].map(([speaker, others]) => [
      speaker,
      new Set([...others].flatMap(([other, together]) => (together > TOGETHER_SECONDS ? [other] : []))),
    ]),
  );
}

function add(seconds: Map<number, Map<number, number>>, [a, b]: readonly [number, number], both: number): void {
  if (a === b) return;
  const others = seconds.get(a) ?? new Map<number, number>();
  others.set(b, (others.get(b) ?? 0) + both);
  seconds.set(a, others);
}
