import type { SpeakerTurn, VoiceSegment } from '../contract/speech-results.ts';
import { numbering } from './numbering.ts';

/** The longest pause of a speaker that does not end a voice segment. */
const BRIDGED_SECONDS = 0.5;
/** A shorter segment within that of another speaker is considered an error of the engine. */
const FLICKER_SECONDS = 0.25;

/** Segments of different speakers may overlap, those of one speaker do not. */
export function speakerTurnsOf(
  windows: readonly (readonly VoiceSegment[])[],
  speakers: readonly (readonly number[])[],
): SpeakerTurn[] {
  const voices = windows
    .flatMap((window, w) =>
      window.map(({ startSeconds, endSeconds }, s) => ({ startSeconds, endSeconds, speaker: speakers[w]?.[s] ?? 0 })),
    )
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
    .sort(byStart);
  const steady = bridge(voices).filter((speakerTurn, i, all) => !isFlicker(speakerTurn, all[i - 1], all[i + 1]));
  const numberOf = numbering();
  return bridge(steady).map((speakerTurn) => ({ ...speakerTurn, speaker: numberOf(speakerTurn.speaker) }));
}

function bridge(speakerTurns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const out: SpeakerTurn[] = [];
  const lastOf = new Map<number, number>();
  for (const speakerTurn of speakerTurns) {
    const index = lastOf.get(speakerTurn.speaker);
    const last = index === undefined ? undefined : out[index];
    const pause = last === undefined ? Infinity : speakerTurn.startSeconds - last.endSeconds;
    const isLatest = index === out.length - 1;
    if (last !== undefined && index !== undefined && (pause <= 0 || (isLatest && pause <= BRIDGED_SECONDS))) {
      out[index] = { ...last, endSeconds: Math.max(last.endSeconds, speakerTurn.endSeconds) };
    } else {
      lastOf.set(speakerTurn.speaker, out.length);
      out.push(speakerTurn);
    }
  }
  return out;
}

function isFlicker(speakerTurn: SpeakerTurn, before: SpeakerTurn | undefined, after: SpeakerTurn | undefined): boolean {
  return (
    speakerTurn.endSeconds - speakerTurn.startSeconds < FLICKER_SECONDS &&
    before !== undefined &&
    before.speaker === after?.speaker &&
    before.speaker !== speakerTurn.speaker &&
    speakerTurn.startSeconds - before.endSeconds < FLICKER_SECONDS &&
    after.startSeconds - speakerTurn.endSeconds < FLICKER_SECONDS
  );
}

function byStart(a: SpeakerTurn, b: SpeakerTurn): number {
  return a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds || a.speaker - b.speaker;
}
