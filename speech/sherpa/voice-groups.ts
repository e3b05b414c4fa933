import type { VoiceSegment } from '../../contract/speech.ts';
import { unitVector, type Vector } from './vectors.ts';

/** A voice segment by its place: window, and number in it. */
export interface Place {
  readonly window: number;
  readonly index: number;
}

/** Segments of one speaker. */
export interface VoiceGroup {
  readonly places: readonly Place[];
  /** Sum of the embeddings, each as heavy as its segment is long. */
  readonly sum: Vector;
}

/** What one window takes for a speaker. */
export interface LocalGroup extends VoiceGroup {
  /** Places in the list of all local groups of those that talk at the same time. */
  readonly rivals: ReadonlySet<number>;
}

export function sumOf(voices: readonly (VoiceSegment | undefined)[]): Vector {
  const sum = new Float64Array(voices[0]?.embedding.length ?? 0);
  for (const voice of voices) {
    if (voice === undefined) continue;
    const seconds = voice.endSeconds - voice.startSeconds;
    const unit = unitVector(voice.embedding);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + seconds * (unit[i] ?? 0);
  }
  return sum;
}
