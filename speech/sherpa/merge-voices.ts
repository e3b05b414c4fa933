import type { SplitOptions } from './split-voices.ts';
import { added, distanceOf, unitVector, type LocalGroup, type Vector, type VoiceGroup } from './voice-groups.ts';

interface Cluster extends LocalGroup {
  readonly unit: Vector;
  readonly nearest: { readonly other: number; readonly distance: number } | undefined;
}

interface Pair {
  readonly id: number;
  /** Greater than `id`. */
  readonly other: number;
  readonly distance: number;
}

interface MergeOptions extends SplitOptions {
  readonly threshold: number;
  /** Merging goes on, whatever the distance, until there are no more. */
  readonly most: number;
}

/**
 * Merges the two nearest groups again and again, down to the fewest. Each knows its nearest, so that a merge needs no look at
 * all pairs.
 */
export async function mergeNearest(
  groups: readonly LocalGroup[],
  { threshold, fewest, most, giveWay }: MergeOptions,
): Promise<VoiceGroup[]> {
  const clusters = new Map<number, Cluster>();
  for (const [id, group] of groups.entries()) {
    clusters.set(id, { ...group, unit: unitVector(group.sum), nearest: undefined });
  }
  let mayForce = false;
  const look = async (ids: Iterable<number>): Promise<void> => {
    for (const id of ids) {
      const cluster = clusters.get(id);
      if (cluster !== undefined) clusters.set(id, { ...cluster, nearest: nearestOf(id, clusters, mayForce) });
      await giveWay();
    }
  };
  await look([...clusters.keys()]);
  while (clusters.size > Math.max(1, fewest)) {
    const pair = nearestPair(clusters);
    const isEnough = clusters.size <= most && (mayForce || (pair?.distance ?? Infinity) >= threshold);
    if (pair === undefined || isEnough) {
      if (mayForce || clusters.size <= most) break;
      mayForce = true;
      await look([...clusters.keys()]);
      continue;
    }
    await look(merge(clusters, pair, mayForce));
  }
  return [...clusters.values()];
}

/** @returns the clusters that must look for their nearest anew */
function merge(clusters: Map<number, Cluster>, { id: a, other: b }: Pair, mayForce: boolean): number[] {
  const [left, right] = [clusters.get(a), clusters.get(b)];
  if (left === undefined || right === undefined) return [];
  const sum = added(left.sum, right.sum);
  const unit = unitVector(sum);
  const rivals = new Set([...left.rivals, ...right.rivals].filter((id) => id !== a && id !== b));
  clusters.delete(b);
  clusters.set(a, { voices: [...left.voices, ...right.voices], sum, unit, rivals, nearest: undefined });
  const stale = [a];
  for (const [id, cluster] of clusters) {
    if (id === a) continue;
    const own = cluster.rivals.has(b)
      ? { ...cluster, rivals: new Set([...cluster.rivals].map((rival) => (rival === b ? a : rival))) }
      : cluster;
    clusters.set(id, own);
    if (own.nearest?.other === a || own.nearest?.other === b) stale.push(id);
    else if (id < a && (mayForce || !own.rivals.has(a))) {
      // The mean has moved: it may have come nearer to others.
      const distance = distanceOf(own.unit, unit);
      if (distance < (own.nearest?.distance ?? Infinity)) clusters.set(id, { ...own, nearest: { other: a, distance } });
    }
  }
  return stale;
}

/** Only of those with a greater number, so that each pair is looked at once; the lower number stays after a merge. */
function nearestOf(id: number, clusters: ReadonlyMap<number, Cluster>, mayForce: boolean): Cluster['nearest'] {
  const cluster = clusters.get(id);
  let nearest: Cluster['nearest'];
  for (const [other, { unit }] of clusters) {
    if (cluster === undefined || other <= id || (!mayForce && cluster.rivals.has(other))) continue;
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
