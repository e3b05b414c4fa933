import type { VoiceSegment } from '../../contract/speech-results.ts';

/** What a voice sounds like, or a sum of such. */
export type Vector = Float64Array;

/** @returns the vector at length 1; zeros stay zeros */
export function unitVector(values: ArrayLike<number>): Vector {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2;
  const factor = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  // Not by from(): that takes four times as long, and this is called for every segment.
  const unit = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) unit[i] = (values[i] ?? 0) * factor;
  return unit;
}

/** Cosine distance of vectors of length 1: 0 for the same direction, 2 for opposite ones. */
export function distanceOf(a: Vector, b: Vector): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += (a[i] ?? 0) * (b[i] ?? 0);
  return 1 - product;
}

export function added(a: Vector, b: Vector): Vector {
  return a.map((value, i) => value + (b[i] ?? 0));
}

/** Segments of one speaker. */
export interface VoiceGroup {
  readonly voices: readonly VoiceSegment[];
  /** Sum of the embeddings, each as heavy as its segment is long. */
  readonly sum: Vector;
}

/** What one window takes for a speaker. */
export interface LocalGroup extends VoiceGroup {
  /** Places in the list of all local groups of those that talk at the same time. */
  readonly rivals: ReadonlySet<number>;
}

export function groupOf(voices: readonly VoiceSegment[]): VoiceGroup {
  const sum = new Float64Array(voices[0]?.embedding.length ?? 0);
  for (const voice of voices) {
    const seconds = voice.endSeconds - voice.startSeconds;
    const unit = unitVector(voice.embedding);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + seconds * (unit[i] ?? 0);
  }
  return { voices, sum };
}
