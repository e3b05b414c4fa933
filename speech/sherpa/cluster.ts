import type { VoiceSegment } from '../../contract/speech-results.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import type { SpeakerLimits } from '../speech-engine.ts';
import { mergeNearest } from './merge-voices.ts';
import { splitVoices } from './split-voices.ts';
import { groupOf, type LocalGroup, type VoiceGroup } from './voice-groups.ts';

/** The overlap from which two voices are two speakers. A shorter one results from inexact boundaries. */
const TOGETHER_SECONDS = 0.5;

export interface ClusterOptions extends SpeakerLimits {
  /** The cosine distance, 0 to 2, from which two voices are considered two speakers. */
  readonly threshold: number;
  readonly signal: AbortSignal;
}

/**
 * The units are the speakers of a window, so that memory does not grow with the number of segments. Two people who talk
 * at the same time are two speakers, unless `maxSpeakers` requires fewer. The result is deterministic.
 */
export async function clusterVoices(
  windows: readonly (readonly VoiceSegment[])[],
  { minSpeakers = 1, maxSpeakers, threshold, signal }: ClusterOptions,
): Promise<number[][]> {
  const yieldIfDue = createYielder(signal);
  const units: LocalGroup[] = [];
  for (const voices of windows) {
    units.push(...localSpeakers(voices, units.length));
    await yieldIfDue();
  }
  const merged = await mergeNearest(units, {
    threshold,
    minGroups: minSpeakers,
    maxGroups: maxSpeakers ?? Infinity,
    yieldIfDue,
  });
  const groups = await splitVoices(merged, { minGroups: minSpeakers, yieldIfDue });
  return numbered(groups, windows);
}

function localSpeakers(voices: readonly VoiceSegment[], offset: number): LocalGroup[] {
  const bySpeaker = new Map<number, VoiceSegment[]>();
  for (const voice of voices) bySpeaker.set(voice.localSpeaker, [...(bySpeaker.get(voice.localSpeaker) ?? []), voice]);
  const speakers = [...bySpeaker.keys()];
  const cannotLink = simultaneousSpeakers(voices);
  return [...bySpeaker].map(([speaker, own]) => ({
    ...groupOf(own),
    cannotLink: new Set([...(cannotLink.get(speaker) ?? [])].map((other) => offset + speakers.indexOf(other))),
  }));
}

/** They must not be merged. @param voices of one window, in order of their start */
function simultaneousSpeakers(voices: readonly VoiceSegment[]): ReadonlyMap<number, ReadonlySet<number>> {
  const secondsOfPair = new Map<string, number>();
  const others = new Map<number, Set<number>>();
  let open: VoiceSegment[] = [];
  for (const voice of voices) {
    open = open.filter(({ endSeconds }) => endSeconds > voice.startSeconds);
    for (const other of open) {
      const [a, b] = [voice.localSpeaker, other.localSpeaker];
      const pair = `${Math.min(a, b)} ${Math.max(a, b)}`;
      const overlap = Math.min(other.endSeconds, voice.endSeconds) - voice.startSeconds;
      const seconds = (secondsOfPair.get(pair) ?? 0) + overlap;
      secondsOfPair.set(pair, seconds);
      if (a === b || seconds <= TOGETHER_SECONDS) continue;
      others.set(a, (others.get(a) ?? new Set()).add(b));
      others.set(b, (others.get(b) ?? new Set()).add(a));
    }
    open.push(voice);
  }
  return others;
}

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
