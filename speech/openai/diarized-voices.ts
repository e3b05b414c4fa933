import type { Span, SpeechWindow, VoiceSegment } from '../../contract/speech-results.ts';
import { numbering } from '../numbering.ts';
import { overlapSeconds, secondsOf } from '../voices/local-voices.ts';
import type { ResponseSegment, TranscriptionResponse } from './openai-response.ts';

/**
 * Speaker labels of a server are valid within one response, and it returns no embeddings. So the segments of a speaker get the
 * mean embedding of the voice segments of the other engine in which that speaker talks most. Because they have the same embedding,
 * they stay one speaker. Each voice segment counts for one speaker, so that two speakers do not get the same embedding. A speaker
 * without a voice segment is omitted, because nothing would identify that speaker in other windows.
 */
export function diarizedVoices(
  response: TranscriptionResponse,
  window: SpeechWindow,
  engineVoices: readonly VoiceSegment[],
): VoiceSegment[] {
  const segments = segmentsOf(response, window);
  const identified = engineVoices.filter(({ embedding }) => embedding.length > 0);
  const overlaps = identified.map((voice) => overlapsBySpeaker(voice, segments));
  const embeddings = new Map<number, readonly number[]>();
  for (const speaker of new Set(segments.map(({ localSpeaker }) => localSpeaker))) {
    const seconds = overlaps.map((of) => of.get(speaker) ?? 0);
    const dominated = identified.filter(
      (_, i) => (seconds[i] ?? 0) > 0 && seconds[i] === Math.max(...(overlaps[i]?.values() ?? [])),
    );
    const most = Math.max(0, ...seconds);
    const shared = identified.filter((_, i) => most > 0 && seconds[i] === most).slice(0, 1);
    embeddings.set(speaker, meanOf(dominated.length > 0 ? dominated : shared));
  }
  return segments.flatMap((segment) => {
    const embedding = embeddings.get(segment.localSpeaker) ?? [];
    return embedding.length === 0 ? [] : [{ ...segment, embedding }];
  });
}

/** @returns the times in the whole audio; undefined if the server does not return both */
function spanOf({ start, end }: ResponseSegment, part: Span): Span | undefined {
  // whisper.cpp returns -0.01 for an unknown time.
  if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start) return undefined;
  const within = (seconds: number): number => Math.min(part.startSeconds + seconds, part.endSeconds);
  return { startSeconds: within(start), endSeconds: within(end) };
}

function meanOf(voices: readonly VoiceSegment[]): number[] {
  const first = voices[0]?.embedding ?? [];
  return first.map((_, k) => voices.reduce((sum, { embedding }) => sum + (embedding[k] ?? 0), 0) / voices.length);
}

type Segment = Omit<VoiceSegment, 'embedding'>;

function segmentsOf(response: TranscriptionResponse, window: SpeechWindow): Segment[] {
  const numberOf = numbering();
  return (response.segments ?? [])
    .flatMap((segment) => {
      const span = spanOf(segment, window);
      const speaker = segment.speaker ?? undefined;
      return span === undefined || speaker === undefined || secondsOf(span) === 0 ? [] : [{ ...span, speaker }];
    })
    .sort((a, b) => a.startSeconds - b.startSeconds)
    .map(({ speaker, ...span }) => ({ ...span, localSpeaker: numberOf(speaker) }));
}

function overlapsBySpeaker(voice: VoiceSegment, segments: readonly Segment[]): Map<number, number> {
  const seconds = new Map<number, number>();
  for (const { localSpeaker, ...span } of segments) {
    seconds.set(localSpeaker, (seconds.get(localSpeaker) ?? 0) + overlapSeconds(voice, span));
  }
  return seconds;
}
