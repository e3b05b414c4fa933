import type { VoiceSegment } from '../../contract/speech.ts';
import { distanceOf, sumOf, unitVector, type Place, type Vector, type VoiceGroup } from './voice-groups.ts';

/** Of segments, between which other work may run. */
const STRIDE = 100;
/** Distances below this are rounding. */
const SAME = 1e-9;

export interface SplitOptions {
  /** As many groups are made, if there are as many segments. */
  readonly fewest: number;
  readonly giveWay: () => Promise<void>;
}

/** Splits the group whose segments differ most, until there are enough: somebody knows that there are more speakers. */
export async function splitVoices(
  groups: readonly VoiceGroup[],
  windows: readonly (readonly VoiceSegment[])[],
  { fewest, giveWay }: SplitOptions,
): Promise<VoiceGroup[]> {
  const done: VoiceGroup[] = [...groups];
  while (done.length < fewest) {
    let widest: { at: number; halves: readonly [Place[], Place[]]; spread: number } | undefined;
    for (const [at, group] of done.entries()) {
      const { halves, spread } = await split(group, windows, giveWay);
      if (halves[1].length > 0 && (widest === undefined || spread > widest.spread)) widest = { at, halves, spread };
    }
    if (widest === undefined) break;
    const parts = widest.halves.map((places) => ({ places, sum: sumOf(places.map((place) => at(place, windows))) }));
    done.splice(widest.at, 1, ...parts);
  }
  return done;
}

/** Two halves around the segment that is farthest from the mean, and the one that is farthest from that. */
async function split(
  { places, sum }: VoiceGroup,
  windows: readonly (readonly VoiceSegment[])[],
  giveWay: () => Promise<void>,
): Promise<{ halves: readonly [Place[], Place[]]; spread: number }> {
  const units: Vector[] = [];
  for (const [i, place] of places.entries()) {
    units.push(unitVector(at(place, windows)?.embedding ?? []));
    if (i % STRIDE === 0) await giveWay();
  }
  const distancesFrom = async (from: Vector): Promise<number[]> => {
    const distances: number[] = [];
    for (const [i, unit] of units.entries()) {
      distances.push(distanceOf(unit, from));
      if (i % STRIDE === 0) await giveWay();
    }
    return distances;
  };
  const first = farthest(await distancesFrom(unitVector(sum)));
  const fromFirst = await distancesFrom(units[first] ?? sum);
  const second = farthest(fromFirst);
  const spread = fromFirst[second] ?? 0;
  if (spread < SAME) {
    // All alike: any of them will do.
    return { halves: [places.slice(0, -1), places.length > 1 ? places.slice(-1) : []], spread: 0 };
  }
  const fromSecond = await distancesFrom(units[second] ?? sum);
  const isNearFirst = fromFirst.map((distance, i) => distance <= (fromSecond[i] ?? Infinity));
  return {
    halves: [places.filter((_, i) => isNearFirst[i]), places.filter((_, i) => isNearFirst[i] !== true)],
    spread,
  };
}

/** The first of those that are farthest, but for rounding. */
function farthest(distances: readonly number[]): number {
  let best = 0;
  for (const [i, distance] of distances.entries()) {
    if (distance > (distances[best] ?? 0) + SAME) best = i;
  }
  return best;
}

function at({ window, index }: Place, windows: readonly (readonly VoiceSegment[])[]): VoiceSegment | undefined {
  return windows[window]?.[index];
}
