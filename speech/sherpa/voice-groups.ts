import type { VoiceSegment } from '../../contract/speech-results.ts';

export type Vector = Float64Array;

/** A zero vector stays zero. */
export function unitVector(values: ArrayLike<number>): Vector {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2;
  const factor = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  // Float64Array.from() takes four times as long, and this function is called for every segment.
  const unit = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) unit[i] = (values[i] ?? 0) * factor;
  return unit;
}

/** 0 for the same direction, 2 for opposite ones. */
export function distanceOf(a: Vector, b: Vector): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += (a[i] ?? 0) * (b[i] ?? 0);
  return 1 - product;
}

export interface VoiceGroup {
  readonly voices: readonly VoiceSegment[];
  /** The sum of the embeddings, weighted by the duration of their segments. */
  readonly sum: Vector;
}

export interface LocalGroup extends VoiceGroup {
  /** Indices of the local groups of speakers who talk at the same time and must not be merged with this one. */
  readonly cannotLink: ReadonlySet<number>;
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
