import type { VoiceSegment } from '../../contract/speech-results.ts';
import { distanceOf, groupOf, unitVector, type Vector, type VoiceGroup } from './voice-groups.ts';

const STRIDE = 100;
/** Smaller distances result from rounding. */
const SAME = 1e-9;

export interface SplitOptions {
  readonly minGroups: number;
  readonly yieldIfDue: () => Promise<void>;
}

/** Splits the group whose segments differ most until there are as many groups as the caller requires. */
export async function splitVoices(
  groups: readonly VoiceGroup[],
  { minGroups, yieldIfDue }: SplitOptions,
): Promise<VoiceGroup[]> {
  const done: VoiceGroup[] = [...groups];
  while (done.length < minGroups) {
    let widest: { at: number; halves: readonly [VoiceSegment[], VoiceSegment[]]; spread: number } | undefined;
    for (const [at, group] of done.entries()) {
      const { halves, spread } = await split(group, yieldIfDue);
      if (halves[1].length > 0 && (widest === undefined || spread > widest.spread)) widest = { at, halves, spread };
    }
    if (widest === undefined) break;
    done.splice(widest.at, 1, ...widest.halves.map(groupOf));
  }
  return done;
}

/** One half is around the segment farthest from the mean, the other around the one farthest from that. */
async function split(
  { voices, sum }: VoiceGroup,
  yieldIfDue: () => Promise<void>,
): Promise<{ halves: readonly [VoiceSegment[], VoiceSegment[]]; spread: number }> {
  const mapped = async <From, To>(list: readonly From[], of: (one: From) => To): Promise<To[]> => {
    const out: To[] = [];
    for (const [i, one] of list.entries()) {
      out.push(of(one));
      if (i % STRIDE === 0) await yieldIfDue();
    }
    return out;
  };
  const units = await mapped(voices, ({ embedding }) => unitVector(embedding));
  const distancesFrom = (from: Vector) => mapped(units, (unit) => distanceOf(unit, from));
  const first = farthest(await distancesFrom(unitVector(sum)));
  const fromFirst = await distancesFrom(units[first] ?? sum);
  const second = farthest(fromFirst);
  const spread = fromFirst[second] ?? 0;
  if (spread < SAME) {
    // All segments are equal, so any of them can be separated.
    return { halves: [voices.slice(0, -1), voices.length > 1 ? voices.slice(-1) : []], spread: 0 };
  }
  const fromSecond = await distancesFrom(units[second] ?? sum);
  const isNearFirst = fromFirst.map((distance, i) => distance <= (fromSecond[i] ?? Infinity));
  return {
    halves: [voices.filter((_, i) => isNearFirst[i]), voices.filter((_, i) => isNearFirst[i] !== true)],
    spread,
  };
}

function farthest(distances: readonly number[]): number {
  let best = 0;
  for (const [i, distance] of distances.entries()) {
    if (distance > (distances[best] ?? 0) + SAME) best = i;
  }
  return best;
}
