import type { SpeechWindow, VoiceSegment } from '../../contract/speech-results.ts';
import type { TranscriptionAnswer } from './openai-response.ts';
import { spanOf } from './openai-words.ts';

/**
 * The voices of a window whose server tells speakers apart: who and when by the server, what the voice sounds like by the
 * engine that hears voices.
 *
 * The letters of a server say nothing about other requests, and it gives no embedding. So each of its segments is given
 * the embedding of a stretch that the other engine heard: of those in which this speaker talks most, the one that overlaps
 * the segment most, or the longest. Embeddings are not averaged: they are in their engine's own terms, and may be no vectors
 * that have a mean. A stretch in which two speak counts for the one who speaks longer in it, so that it
 * does not make them alike; who is the longer one in none takes the stretch that he has most of. A speaker who is in none
 * at all is left out, since nothing would tell who that is in other windows.
 *
 * @param heard the voices of the same window, in the other engine's own division
 */
export function diarizedVoices(
  answer: TranscriptionAnswer,
  window: SpeechWindow,
  heard: readonly VoiceSegment[],
): VoiceSegment[] {
  const segments = segmentsOf(answer, window);
  const overlaps = heard.map((stretch) => overlapsBySpeaker(stretch, segments));
  const own = new Map<number, VoiceSegment[]>();
  for (const speaker of new Set(segments.map(({ localSpeaker }) => localSpeaker))) {
    const seconds = overlaps.map((of) => of.get(speaker) ?? 0);
    const led = heard.filter(
      (_, i) => (seconds[i] ?? 0) > 0 && seconds[i] === Math.max(...(overlaps[i]?.values() ?? [])),
    );
    const most = Math.max(0, ...seconds);
    own.set(speaker, led.length > 0 ? led : heard.filter((_, i) => most > 0 && seconds[i] === most).slice(0, 1));
  }
  return segments.flatMap((segment) => {
    const [nearest] = (own.get(segment.localSpeaker) ?? []).toSorted(
      (a, b) => overlapOf(b, segment) - overlapOf(a, segment) || lengthOf(b) - lengthOf(a),
    );
    return nearest === undefined ? [] : [{ ...segment, embedding: nearest.embedding }];
  });
}

type Segment = Omit<VoiceSegment, 'embedding'>;

function segmentsOf(answer: TranscriptionAnswer, window: SpeechWindow): Segment[] {
  const numbers = new Map<string, number>();
  return (answer.segments ?? [])
    .flatMap((segment) => {
      const span = spanOf(segment, window);
      const speaker = segment.speaker ?? undefined;
      return span === undefined || speaker === undefined || lengthOf(span) === 0 ? [] : [{ ...span, speaker }];
    })
    .sort((a, b) => a.startSeconds - b.startSeconds)
    .map(({ speaker, ...span }) => {
      const localSpeaker = numbers.get(speaker) ?? numbers.size;
      numbers.set(speaker, localSpeaker);
      return { ...span, localSpeaker };
    });
}

function overlapsBySpeaker(stretch: VoiceSegment, segments: readonly Segment[]): Map<number, number> {
  const seconds = new Map<number, number>();
  for (const segment of segments) {
    const { localSpeaker } = segment;
    seconds.set(localSpeaker, (seconds.get(localSpeaker) ?? 0) + overlapOf(stretch, segment));
  }
  return seconds;
}

function overlapOf(a: Omit<Segment, 'localSpeaker'>, b: Omit<Segment, 'localSpeaker'>): number {
  return Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));
}

function lengthOf({ startSeconds, endSeconds }: Omit<Segment, 'localSpeaker'>): number {
  return endSeconds - startSeconds;
}
