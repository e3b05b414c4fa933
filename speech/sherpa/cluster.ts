import type { VoiceSegment } from '../../contract/speech-results.ts';
import { createTurns } from '../../runtime/subprocess/yield-to-event-loop.ts';
import type { SpeakerLimits } from '../speech-engine.ts';
import { mergeNearest } from './merge-voices.ts';
import { rivalsOf } from './rivals.ts';
import { splitVoices } from './split-voices.ts';
import { groupOf, type LocalGroup, type VoiceGroup } from './voice-groups.ts';

export interface ClusterOptions extends SpeakerLimits {
  /** Cosine distance, 0 to 2, from which two voices are two speakers. */
  readonly threshold: number;
  readonly signal: AbortSignal;
}

/**
 * Finds out which voices of different windows are one speaker. Units are the speakers that each window tells apart, a few
 * per window, so that memory does not grow with the number of segments. The nearest are merged again and again.
 * Two who talk at the same time are two, unless `maxSpeakers` asks for fewer. The same input gives the same output.
 *
 * @returns as {@link SpeechEngine.cluster}
 */
export async function clusterVoices(
  windows: readonly (readonly VoiceSegment[])[],
  { minSpeakers = 1, maxSpeakers, threshold, signal }: ClusterOptions,
): Promise<number[][]> {
  const giveWay = createTurns(signal);
  const units: LocalGroup[] = [];
  for (const voices of windows) {
    units.push(...localSpeakers(voices, units.length));
    await giveWay();
  }
  const merged = await mergeNearest(units, {
    threshold,
    fewest: minSpeakers,
    most: maxSpeakers ?? Infinity,
    giveWay,
  });
  const groups = await splitVoices(merged, { fewest: minSpeakers, giveWay });
  return numbered(groups, windows);
}

/** @param before how many groups there are of earlier windows */
function localSpeakers(voices: readonly VoiceSegment[], before: number): LocalGroup[] {
  const bySpeaker = new Map<number, VoiceSegment[]>();
  for (const voice of voices) bySpeaker.set(voice.localSpeaker, [...(bySpeaker.get(voice.localSpeaker) ?? []), voice]);
  const speakers = [...bySpeaker.keys()];
  const rivals = rivalsOf(voices);
  return [...bySpeaker].map(([speaker, own]) => ({
    ...groupOf(own),
    rivals: new Set([...(rivals.get(speaker) ?? [])].map((rival) => before + speakers.indexOf(rival))),
  }));
}

/** Numbers speakers in order of appearance. */
function numbered(groups: readonly VoiceGroup[], windows: readonly (readonly VoiceSegment[])[]): number[][] {
  const groupOfVoice = new Map(groups.flatMap((group) => group.voices.map((voice) => [voice, group] as const)));
  const speakers = new Map<VoiceGroup | undefined, number>();
  return windows.map((voices) =>
    voices.map((voice) => {
      const group = groupOfVoice.get(voice);
      const speaker = speakers.get(group) ?? speakers.size;
      speakers.set(group, speaker);
      return speaker;
    }),
  );
}
