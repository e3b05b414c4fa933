import type { VoiceSegment } from '../../contract/speech-results.ts';

export interface VoiceGroup {
  readonly voices: readonly VoiceSegment[];
  /** The sum of the embeddings, weighted by the duration of their segments. */
  readonly sum: Float64Array;
  readonly seconds: number;
}

export interface Merge {
  readonly left: VoiceGroup;
  readonly right: VoiceGroup;
  readonly merged: VoiceGroup;
  readonly similarity: number;
}

export function sumOf(voices: readonly VoiceSegment[]): VoiceGroup {
  const sum = new Float64Array(voices[0]?.embedding.length ?? 0);
  let total = 0;
  for (const { startSeconds, endSeconds, embedding } of voices) {
    const seconds = endSeconds - startSeconds;
    total += seconds;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + seconds * (embedding[i] ?? 0);
  }
  return { voices, sum, seconds: total };
}

/** The mean product of an embedding of one group and one of the other. */
export function similarityOf(a: VoiceGroup, b: VoiceGroup): number {
  const [left, right] = [a.sum, b.sum];
  let product = 0;
  for (let i = 0; i < left.length; i++) product += (left[i] ?? 0) * (right[i] ?? 0);
  return product / (a.seconds * b.seconds);
}

/**
 * Merges the most similar groups, by average linkage, until there is one. A chain of nearest neighbours finds the same
 * merges without a matrix of all similarities.
 *
 * @returns the merges in the order of their similarity
 */
export async function mergeAll(groups: readonly VoiceGroup[], yieldIfDue: () => Promise<void>): Promise<Merge[]> {
  const active = new Set(groups);
  const merges: Merge[] = [];
  const similarities = new Map<VoiceGroup, number>();
  const chain: VoiceGroup[] = [];
  while (active.size > 1) {
    const [first] = active;
    const top = chain.at(-1) ?? first;
    if (top === undefined) break;
    if (chain.length === 0) chain.push(top);
    const below = chain.at(-2);
    let nearest = below;
    let similarity = below === undefined ? -Infinity : similarityOf(top, below);
    for (const other of active) {
      const own = other === top ? -Infinity : similarityOf(top, other);
      if (own > similarity) [nearest, similarity] = [other, own];
    }
    await yieldIfDue();
    if (nearest === undefined) break;
    if (nearest !== below) {
      chain.push(nearest);
      continue;
    }
    chain.splice(-2);
    active.delete(top);
    active.delete(nearest);
    const merged = joined(nearest, top);
    active.add(merged);
    // Rounding must not put a merge before those that it consists of.
    const limit = Math.min(similarity, similarities.get(top) ?? Infinity, similarities.get(nearest) ?? Infinity);
    similarities.set(merged, limit);
    merges.push({ left: nearest, right: top, merged, similarity: limit });
  }
  return merges.sort((a, b) => b.similarity - a.similarity);
}

export function groupsAfter(groups: readonly VoiceGroup[], merges: readonly Merge[]): VoiceGroup[] {
  const remaining = new Set(groups);
  for (const { left, right, merged } of merges) {
    remaining.delete(left);
    remaining.delete(right);
    remaining.add(merged);
  }
  return [...remaining];
}

function joined(a: VoiceGroup, b: VoiceGroup): VoiceGroup {
  const sum = a.sum.map((value, i) => value + (b.sum[i] ?? 0));
  return { voices: [...a.voices, ...b.voices], sum, seconds: a.seconds + b.seconds };
}
