import type { Turn, VoiceSegment } from '../contract/speech-results.ts';

/** A pause of one speaker up to this is part of the turn. */
const BRIDGED_SECONDS = 0.5;
/** A turn that is shorter, in the midst of another speaker's, is taken for an error of the engine. */
const FLICKER_SECONDS = 0.25;

/**
 * Joins the voices of all windows into turns, in order of their start. Turns of different speakers may overlap, those of
 * one speaker do not.
 *
 * @param windows the voices of each window
 * @param speakers the speaker of each voice, as {@link SpeechEngine.cluster} gives it; renumbered here
 */
export function turnsOf(
  windows: readonly (readonly VoiceSegment[])[],
  speakers: readonly (readonly number[])[],
): Turn[] {
  const voices = windows
    .flatMap((window, w) =>
      window.map(({ startSeconds, endSeconds }, s) => ({ startSeconds, endSeconds, speaker: speakers[w]?.[s] ?? 0 })),
    )
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
    .sort(byStart);
  return inOrderOfAppearance(bridge(bridge(voices).filter((turn, i, all) => !isFlicker(turn, all[i - 1], all[i + 1]))));
}

/** Joins turns of one speaker that overlap, touch or are a short pause apart with nobody else in between. */
function bridge(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  const lastOf = new Map<number, number>();
  for (const turn of turns) {
    const index = lastOf.get(turn.speaker);
    const last = index === undefined ? undefined : out[index];
    const pause = last === undefined ? Infinity : turn.startSeconds - last.endSeconds;
    const isLatest = index === out.length - 1;
    if (last !== undefined && index !== undefined && (pause <= 0 || (isLatest && pause <= BRIDGED_SECONDS))) {
      out[index] = { ...last, endSeconds: Math.max(last.endSeconds, turn.endSeconds) };
    } else {
      lastOf.set(turn.speaker, out.length);
      out.push(turn);
    }
  }
  return out;
}

function isFlicker(turn: Turn, before: Turn | undefined, after: Turn | undefined): boolean {
  return (
    turn.endSeconds - turn.startSeconds < FLICKER_SECONDS &&
    before !== undefined &&
    before.speaker === after?.speaker &&
    before.speaker !== turn.speaker &&
    turn.startSeconds - before.endSeconds < FLICKER_SECONDS &&
    after.startSeconds - turn.endSeconds < FLICKER_SECONDS
  );
}

function inOrderOfAppearance(turns: readonly Turn[]): Turn[] {
  const numbers = new Map<number, number>();
  return turns.map((turn) => {
    const speaker = numbers.get(turn.speaker) ?? numbers.size;
    numbers.set(turn.speaker, speaker);
    return { ...turn, speaker };
  });
}

function byStart(a: Turn, b: Turn): number {
  return a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds || a.speaker - b.speaker;
}
