import type { Span } from '../../contract/speech-results.ts';

/** The segmentation model takes this much audio at once. */
export const CHUNK_SECONDS = 10;
/** Of two chunks that overlap by half, each is used where it has at least 2.5 s of audio on both sides. */
const HOP_SECONDS = 5;
/** Voices of two chunks that are active together for less are not considered one. */
const LEAST_SHARED_SECONDS = 0.1;
const BRIDGED_SECONDS = 0.3;
const SHORTEST_SECONDS = 0.15;
const UNCONFIRMED_SECONDS = 2;

/** The length of a piece that is considered one speaker, since the segmentation confuses similar voices within a chunk. */
const PIECE_SECONDS = 0.5;
/** The length of the audio for an embedding, if the voice is active for that long without a pause. */
const CONTEXT_SECONDS = 1.5;

export interface LocalVoice extends Span {
  readonly localSpeaker: number;
}

export interface Piece extends LocalVoice {
  /** The piece with what surrounds it in the same stretch of the voice. */
  readonly context: Span;
}

/** The last chunk ends with the audio, since the model is worse at silence that is added. */
export function chunkStarts(seconds: number): number[] {
  const last = Math.max(0, seconds - CHUNK_SECONDS);
  return [...Array.from({ length: Math.ceil(last / HOP_SECONDS) }, (_, i) => i * HOP_SECONDS), last];
}

export interface Chunk {
  readonly startSeconds: number;
  /** Times are in seconds of the window. */
  readonly voices: readonly LocalVoice[];
}

/** @returns the voices of the window, sorted by their start */
export function joinChunks(chunks: readonly Chunk[]): LocalVoice[] {
  const stretches: LocalVoice[] = [];
  let previous: readonly LocalVoice[] = [];
  let count = 0;
  for (const [i, chunk] of chunks.entries()) {
    const numbers = matchSpeakers(chunk.voices, previous);
    previous = chunk.voices.map((voice) => {
      const localSpeaker = numbers.get(voice.localSpeaker) ?? count++;
      numbers.set(voice.localSpeaker, localSpeaker);
      return { ...voice, localSpeaker };
    });
    const start = borderOf(chunks[i - 1], chunk) ?? 0;
    const end = borderOf(chunk, chunks[i + 1]) ?? Infinity;
    for (const { startSeconds, endSeconds, localSpeaker } of previous) {
      const part = { startSeconds: Math.max(start, startSeconds), endSeconds: Math.min(end, endSeconds), localSpeaker };
      if (part.endSeconds > part.startSeconds) stretches.push(part);
    }
  }
  return bridge(stretches).filter((voice) => secondsOf(voice) >= SHORTEST_SECONDS);
}

/** @returns the middle of the overlap of two chunks */
function borderOf(chunk: Chunk | undefined, next: Chunk | undefined): number | undefined {
  return chunk && next && (chunk.startSeconds + CHUNK_SECONDS + next.startSeconds) / 2;
}

/** @returns for speakers of the chunk those of the previous one with whom they are active together for longest */
function matchSpeakers(chunk: readonly LocalVoice[], previous: readonly LocalVoice[]): Map<number, number> {
  const shared = new Map<number, Map<number, number>>();
  for (const voice of chunk) {
    const others = shared.get(voice.localSpeaker) ?? new Map<number, number>();
    shared.set(voice.localSpeaker, others);
    for (const other of previous) {
      const seconds = (others.get(other.localSpeaker) ?? 0) + overlapSeconds(voice, other);
      others.set(other.localSpeaker, seconds);
    }
  }
  const pairs = [...shared].flatMap(([own, others]) =>
    [...others].map(([other, seconds]) => ({ own, other, seconds })),
  );
  const matches = new Map<number, number>();
  const taken = new Set<number>();
  for (const { own, other, seconds } of pairs.sort((a, b) => b.seconds - a.seconds)) {
    if (seconds < LEAST_SHARED_SECONDS || matches.has(own) || taken.has(other)) continue;
    matches.set(own, other);
    taken.add(other);
  }
  return matches;
}

function bridge(stretches: readonly LocalVoice[]): LocalVoice[] {
  const bridged: LocalVoice[] = [];
  const lastOf = new Map<number, number>();
  for (const stretch of stretches.toSorted(byStart)) {
    const index = lastOf.get(stretch.localSpeaker) ?? -1;
    const last = bridged[index];
    if (last !== undefined && stretch.startSeconds - last.endSeconds <= BRIDGED_SECONDS) {
      bridged[index] = { ...last, endSeconds: Math.max(last.endSeconds, stretch.endSeconds) };
    } else {
      lastOf.set(stretch.localSpeaker, bridged.length);
      bridged.push(stretch);
    }
  }
  return bridged;
}

/**
 * Compares the voices with the intervals of another detector. A distant speaker, whom only that one detects, becomes a voice.
 * A short voice that it does not detect is considered noise.
 */
export function confirmVoices(voices: readonly LocalVoice[], speech: readonly Span[]): LocalVoice[] {
  const meets = (span: Span, others: readonly Span[]): boolean =>
    others.some((other) => overlapSeconds(span, other) > 0);
  const confirmed = voices.filter((voice) => secondsOf(voice) >= UNCONFIRMED_SECONDS || meets(voice, speech));
  let count = Math.max(-1, ...voices.map(({ localSpeaker }) => localSpeaker));
  const missed = speech.filter((span) => !meets(span, confirmed)).map((span) => ({ ...span, localSpeaker: ++count }));
  return [...confirmed, ...missed].sort(byStart);
}

/** Cuts voices at the pauses between the intervals of another detector, because the speaker often changes there, and then into pieces. */
export function cutPieces(voices: readonly LocalVoice[], speech: readonly Span[]): Piece[] {
  const pauses = speech.slice(1).map(({ startSeconds }, i) => (startSeconds + (speech[i]?.endSeconds ?? 0)) / 2);
  return voices
    .flatMap((voice) => {
      const inside = pauses.filter((pause) => pause > voice.startSeconds && pause < voice.endSeconds);
      const ends = [...inside, voice.endSeconds];
      return ends.map((endSeconds, i) => ({ ...voice, startSeconds: ends[i - 1] ?? voice.startSeconds, endSeconds }));
    })
    .flatMap((voice) => {
      const { startSeconds, endSeconds, localSpeaker } = voice;
      const count = Math.max(1, Math.round(secondsOf(voice) / PIECE_SECONDS));
      const length = secondsOf(voice) / count;
      const contextLength = Math.min(secondsOf(voice), Math.max(CONTEXT_SECONDS, length));
      return Array.from({ length: count }, (_, i) => {
        const start = startSeconds + i * length;
        const centred = start + (length - contextLength) / 2;
        const contextStart = Math.max(startSeconds, Math.min(centred, endSeconds - contextLength));
        const context = { startSeconds: contextStart, endSeconds: contextStart + contextLength };
        return {
          startSeconds: start,
          endSeconds: i === count - 1 ? endSeconds : start + length,
          localSpeaker,
          context,
        };
      });
    })
    .sort(byStart);
}

/** The parts of a span in which no other voice is active. */
export function partsAlone(span: Span, localSpeaker: number, voices: readonly LocalVoice[]): Span[] {
  let parts: Span[] = [{ startSeconds: span.startSeconds, endSeconds: span.endSeconds }];
  for (const voice of voices) {
    if (voice.localSpeaker === localSpeaker || overlapSeconds(voice, span) === 0) continue;
    parts = parts
      .flatMap(({ startSeconds, endSeconds }) => [
        { startSeconds, endSeconds: Math.min(endSeconds, voice.startSeconds) },
        { startSeconds: Math.max(startSeconds, voice.endSeconds), endSeconds },
      ])
      .filter((part) => secondsOf(part) > 0);
  }
  return parts;
}

export function secondsOf({ startSeconds, endSeconds }: Span): number {
  return endSeconds - startSeconds;
}

export function overlapSeconds(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));
}

function byStart(a: LocalVoice, b: LocalVoice): number {
  return a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds || a.localSpeaker - b.localSpeaker;
}
