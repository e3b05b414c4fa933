import type { Span, VoiceSegment } from '../../contract/speech-results.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import type { SpeakerLimits } from '../speech-engine.ts';
import { numbering } from '../numbering.ts';
import { overlapSeconds } from './local-voices.ts';
import { groupsAfter, mergeAll, similarityOf, sumOf, type Merge, type VoiceGroup } from './merge-groups.ts';

/**
 * The mean product of scaled embeddings is 1 within one speaker, whatever the recording (scale-embeddings.ts), and was below
 * 0.4 for 99 of 100 pairs of voices outside the measured recordings. The limit is in the middle.
 */
const ONE_SPEAKER = 0.7;
/**
 * Two groups that are both too short for a speaker are merged down to those 0.4. Single lines of one speaker differ more than
 * pieces of one line, by which embeddings are scaled, above all on a telephone line. Otherwise, neither would be a speaker.
 */
const SHORT_GROUPS = 0.4;
/**
 * A group that never has this much speech within two minutes is probably laughter, noise or two people at once, which add up in
 * a long recording. Its pieces go to the nearest speaker.
 */
const LEAST_SPEAKER_SECONDS = 4;
const WITHIN_SECONDS = 120;
/** In a short recording, this share of the speech is enough. */
const LEAST_SPEAKER_SHARE = 0.15;
/** About half an hour. Of more pieces, those of one window that are certainly of one speaker are merged first, because time grows with the square. */
const MAX_PIECES = 4_000;

interface Options extends SpeakerLimits {
  readonly signal: AbortSignal;
}

/** Groups the voices of all windows together. The result is deterministic. @returns for each voice the number of its speaker */
export async function groupVoices(
  windows: readonly (readonly VoiceSegment[])[],
  { minSpeakers = 1, maxSpeakers = Infinity, signal }: Options,
): Promise<number[][]> {
  const yieldIfDue = createYielder(signal);
  const identified = windows.map((voices) => voices.filter(({ embedding }) => embedding.length > 0));
  const isLarge = identified.flat().length > MAX_PIECES;
  const units: VoiceGroup[] = [];
  for (const voices of identified) {
    const groups = voices.map((voice) => sumOf([voice]));
    const certain = isLarge ? (await mergeAll(groups, yieldIfDue)).filter(({ similarity }) => similarity >= 1) : [];
    units.push(...groupsAfter(groups, certain));
  }
  const merges = (await mergeAll(units, yieldIfDue)).map(withShortGroups).sort((a, b) => b.similarity - a.similarity);
  const speakers = speakersOf(units, merges, { minSpeakers, maxSpeakers });
  const numberOf = new Map(speakers.flatMap(({ voices }, number) => voices.map((voice) => [voice, number] as const)));
  const lengths = speakers.map((speaker) => Math.sqrt(similarityOf(speaker, speaker)));
  for (const voice of identified.flat()) {
    // Groups grow by single merges, so that a voice may be nearer to another group in the end.
    const own = sumOf([voice]);
    const similarities = speakers.map((speaker, i) => similarityOf(own, speaker) / (lengths[i] ?? 1));
    const nearest = Math.max(...similarities);
    if (similarities[numberOf.get(voice) ?? -1] !== nearest) numberOf.set(voice, similarities.indexOf(nearest));
    await yieldIfDue();
  }
  const inOrder = numbering();
  return windows.map((voices) => numbersOf(voices, numberOf).map(inOrder));
}

function speakersOf(
  units: readonly VoiceGroup[],
  merges: readonly Merge[],
  { minSpeakers, maxSpeakers }: Required<SpeakerLimits>,
): VoiceGroup[] {
  const leastSeconds = Math.min(
    LEAST_SPEAKER_SECONDS,
    LEAST_SPEAKER_SHARE * units.reduce((sum, { seconds }) => sum + seconds, 0),
  );
  const isSpeaker = (group: VoiceGroup): boolean => mostSecondsOf(group) >= leastSeconds;
  // counts[n] is the number of speakers after n merges.
  const counts = [units.filter(isSpeaker).length];
  for (const { left, right, merged } of merges) {
    counts.push((counts.at(-1) ?? 0) + Number(isSpeaker(merged)) - Number(isSpeaker(left)) - Number(isSpeaker(right)));
  }
  const firstBelow = merges.findIndex(({ similarity }) => similarity < ONE_SPEAKER);
  let count = firstBelow === -1 ? merges.length : firstBelow;
  while (count < merges.length && (counts[count] ?? 0) > maxSpeakers) count += 1;
  while (count > 0 && (counts[count] ?? 0) < minSpeakers) count -= 1;
  const groups = groupsAfter(units, merges.slice(0, count));
  const speakers = groups.filter(isSpeaker);
  if (speakers.length >= minSpeakers) return speakers;
  const all = groupsAfter(units, merges.slice(0, Math.max(0, units.length - minSpeakers)));
  return minSpeakers === 1 ? all.slice(0, 1) : all;
}

function withShortGroups(merge: Merge): Merge {
  const areShort = [merge.left, merge.right].every((group) => mostSecondsOf(group) < LEAST_SPEAKER_SECONDS);
  const isOne = areShort && merge.similarity >= SHORT_GROUPS;
  return isOne ? { ...merge, similarity: Math.max(merge.similarity, ONE_SPEAKER) } : merge;
}

/** @returns the seconds of speech in the part of the recording in which the group has most */
function mostSecondsOf({ voices }: VoiceGroup): number {
  const parts = new Map<number, number>();
  for (const { startSeconds, endSeconds } of voices) {
    const part = Math.floor(startSeconds / WITHIN_SECONDS);
    parts.set(part, (parts.get(part) ?? 0) + endSeconds - startSeconds);
  }
  return Math.max(...parts.values());
}

/** A voice without an embedding is that of its local speaker, or of the nearest one who does not talk at the same time. */
function numbersOf(voices: readonly VoiceSegment[], numberOf: ReadonlyMap<VoiceSegment, number>): number[] {
  const known = voices.flatMap((voice) => {
    const number = numberOf.get(voice);
    return number === undefined ? [] : [{ ...voice, number }];
  });
  return voices.map((voice) => {
    const own = numberOf.get(voice);
    if (own !== undefined) return own;
    const rivals = new Set(known.filter((other) => overlapSeconds(voice, other) > 0).map(({ number }) => number));
    const rankOf = ({ localSpeaker, number }: (typeof known)[number]): number =>
      Number(localSpeaker !== voice.localSpeaker) + 2 * Number(rivals.has(number));
    const distanceTo = ({ startSeconds }: Span): number => Math.abs(startSeconds - voice.startSeconds);
    const [nearest] = known.toSorted((a, b) => rankOf(a) - rankOf(b) || distanceTo(a) - distanceTo(b));
    return nearest?.number ?? 0;
  });
}
