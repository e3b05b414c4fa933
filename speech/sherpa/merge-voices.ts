import type { SplitOptions } from './split-voices.ts';
import { distanceOf, unitVector, type LocalGroup, type Vector, type VoiceGroup } from './voice-groups.ts';

interface Cluster extends LocalGroup {
  readonly unit: Vector;
  readonly nearest: { readonly other: number; readonly distance: number } | undefined;
}

interface Pair {
  readonly id: number;
  readonly other: number;
  readonly distance: number;
}

interface MergeOptions extends SplitOptions {
  readonly threshold: number;
  /** Groups are merged regardless of their distance until there are at most this many. */
  readonly maxGroups: number;
}

/** Each group stores its nearest group, so that a merge does not compare all pairs. */
export async function mergeNearest(
  groups: readonly LocalGroup[],
  { threshold, minGroups, maxGroups, yieldIfDue }: MergeOptions,
): Promise<VoiceGroup[]> {
  const clusters = new Map<number, Cluster>();
  for (const [id, group] of groups.entries()) {
    clusters.set(id, { ...group, unit: unitVector(group.sum), nearest: undefined });
  }
  let ignoresCannotLink = false;
  const updateNearest = async (ids: Iterable<number>): Promise<void> => {
    for (const id of ids) {
      const cluster = clusters.get(id);
      if (cluster !== undefined) clusters.set(id, { ...cluster, nearest: nearestOf(id, clusters, ignoresCannotLink) });
      await yieldIfDue();
    }
  };
  await updateNearest([...clusters.keys()]);
  while (clusters.size > Math.max(1, minGroups)) {
    const pair = nearestPair(clusters);
    const isEnough = clusters.size <= maxGroups && (ignoresCannotLink || (pair?.distance ?? Infinity) >= threshold);
    if (pair === undefined || isEnough) {
      if (ignoresCannotLink || clusters.size <= maxGroups) break;
      ignoresCannotLink = true;
      await updateNearest([...clusters.keys()]);
      continue;
    }
    await updateNearest(merge(clusters, pair, ignoresCannotLink));
  }
  return [...clusters.values()];
}

/** @returns the clusters whose nearest cluster must be determined again */
function merge(clusters: Map<number, Cluster>, { id: a, other: b }: Pair, ignoresCannotLink: boolean): number[] {
  const [left, right] = [clusters.get(a), clusters.get(b)];
  if (left === undefined || right === undefined) return [];
  const sum = left.sum.map((value, i) => value + (right.sum[i] ?? 0));
  const unit = unitVector(sum);
  const cannotLink = new Set([...left.cannotLink, ...right.cannotLink].filter((id) => id !== a && id !== b));
  clusters.delete(b);
  clusters.set(a, { voices: [...left.voices, ...right.voices], sum, unit, cannotLink, nearest: undefined });
  const stale = [a];
  for (const [id, cluster] of clusters) {
    if (id === a) continue;
    const own = cluster.cannotLink.has(b)
      ? { ...cluster, cannotLink: new Set([...cluster.cannotLink].map((rival) => (rival === b ? a : rival))) }
      : cluster;
    clusters.set(id, own);
    if (own.nearest?.other === a || own.nearest?.other === b) stale.push(id);
    else if (id < a && (ignoresCannotLink || !own.cannotLink.has(a))) {
      // The mean has changed and may now be closer to other clusters.
      const distance = distanceOf(own.unit, unit);
      if (distance < (own.nearest?.distance ?? Infinity)) clusters.set(id, { ...own, nearest: { other: a, distance } });
    }
  }
  return stale;
}

/** Considers only greater ids, so that each pair is compared once; a merged cluster keeps the lower id. */
function nearestOf(id: number, clusters: ReadonlyMap<number, Cluster>, ignoresCannotLink: boolean): Cluster['nearest'] {
  const cluster = clusters.get(id);
  let nearest: Cluster['nearest'];
  for (const [other, { unit }] of clusters) {
    if (cluster === undefined || other <= id || (!ignoresCannotLink && cluster.cannotLink.has(other))) continue;
    const distance = distanceOf(cluster.unit, unit);
    if (nearest === undefined || distance < nearest.distance) nearest = { other, distance };
  }
  return nearest;
}

function nearestPair(clusters: ReadonlyMap<number, Cluster>): Pair | undefined {
  let best: Pair | undefined;
  for (const [id, { nearest }] of clusters) {
    if (nearest !== undefined && (best === undefined || nearest.distance < best.distance)) best = { id, ...nearest };
  }
  return best;
}
