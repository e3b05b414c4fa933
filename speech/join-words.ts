import type { KeptSegment } from '../contract/kinds/speaker-labels.ts';
import type { SpeakerTurn, Word } from '../contract/speech-results.ts';
import { toMilliseconds } from '../contract/text/times.ts';
import { createYielder } from '../runtime/subprocess/yield-to-event-loop.ts';
import { numbering } from './numbering.ts';

const PAUSE_SECONDS = 0.9;
/** The limits of a segment that can be read at a glance. */
const MAX_SECONDS = 12;
const MAX_CHARS = 200;
/** A segment that reaches this share of a limit ends at the next end of a sentence or small pause. */
const COMFORTABLE_SHARE = 0.6;
const SMALL_PAUSE_SECONDS = 0.35;
/** A word outside all voice segments belongs to one within this distance, otherwise to the previous speaker. */
const NEAR_SECONDS = 1;
/** A single word of at most this length belongs to its neighbours, because speaker boundaries are not exact. */
const STRAY_SECONDS = 0.3;

interface SpokenWord extends Word {
  readonly speaker: number;
}

/** Gives each word the speaker who overlaps it most. It yields to the event loop, because twelve hours have over a hundred thousand words. */
export async function joinWords(words: readonly Word[], speakerTurns: readonly SpeakerTurn[]): Promise<KeptSegment[]> {
  const yieldIfDue = createYielder();
  const sorted = words
    .filter(({ text }) => text.trim() !== '')
    .sort((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  await yieldIfDue();
  const owned = await assignSpeakers(sorted, speakerTurns, yieldIfDue);
  const numberOf = numbering();
  const segments: KeptSegment[] = [];
  for (const group of await groupWords(owned, yieldIfDue)) {
    segments.push(segmentOf(group, `Speaker ${numberOf(group[0].speaker) + 1}`));
    await yieldIfDue();
  }
  return segments;
}

function segmentOf(group: Group, label: string): KeptSegment {
  const [first] = group;
  // The engine may return a word with a space in it, such as one with a dash.
  const pieces = group.flatMap((word) => word.text.split(/\s+/).map(() => word));
  const confidences = pieces.flatMap(({ confidence }) => (confidence === undefined ? [] : toMilliseconds(confidence)));
  return {
    text: group.map(({ text }) => text).join(' '),
    start: toMilliseconds(first.startSeconds),
    duration: toMilliseconds(Math.max(0, endOf(group) - first.startSeconds)),
    speaker: label,
    wordStarts: pieces.map(({ startSeconds }) => toMilliseconds(startSeconds)),
    ...(confidences.length === pieces.length ? { wordConfidences: confidences } : {}),
  };
}

type YieldIfDue = () => Promise<void>;

async function assignSpeakers(
  words: readonly Word[],
  speakerTurns: readonly SpeakerTurn[],
  yieldIfDue: YieldIfDue,
): Promise<readonly SpokenWord[]> {
  const sorted = speakerTurns.toSorted((a, b) => a.startSeconds - b.startSeconds);
  let open: SpeakerTurn[] = [];
  let next = 0;
  let previous = sorted[0]?.speaker ?? 0;
  const owned: SpokenWord[] = [];
  for (const word of words) {
    for (; isNear(sorted[next], word); next++) open.push(...sorted.slice(next, next + 1));
    open = open.filter((speakerTurn) => speakerTurn.endSeconds >= word.startSeconds - NEAR_SECONDS);
    previous = speakerOf(word, open, previous);
    owned.push({ ...word, text: word.text.trim(), speaker: previous });
    await yieldIfDue();
  }
  return owned;
}

function isNear(speakerTurn: SpeakerTurn | undefined, word: Word): boolean {
  return speakerTurn !== undefined && speakerTurn.startSeconds <= word.endSeconds + NEAR_SECONDS;
}

/** Selects the speaker by overlap, then by distance; otherwise the previous speaker. */
function speakerOf(word: Word, speakerTurns: readonly SpeakerTurn[], previous: number): number {
  const overlaps = new Map<number, number>();
  let nearest: { speaker: number; distance: number } | undefined;
  for (const speakerTurn of speakerTurns) {
    const overlap =
      Math.min(word.endSeconds, speakerTurn.endSeconds) - Math.max(word.startSeconds, speakerTurn.startSeconds);
    if (overlap > 0) overlaps.set(speakerTurn.speaker, (overlaps.get(speakerTurn.speaker) ?? 0) + overlap);
    if (nearest === undefined || -overlap < nearest.distance)
      nearest = { speaker: speakerTurn.speaker, distance: -overlap };
  }
  const most = Math.max(0, ...overlaps.values());
  // If two people speak during the whole word, the previous speaker continues.
  if (most > 0 && overlaps.get(previous) === most) return previous;
  const leader = [...overlaps].find(([, overlap]) => overlap === most)?.[0];
  return leader ?? nearest?.speaker ?? previous;
}

function withoutStray(word: SpokenWord, previous: SpokenWord | undefined, next: SpokenWord | undefined): SpokenWord {
  const isStray =
    previous !== undefined &&
    previous.speaker === next?.speaker &&
    previous.speaker !== word.speaker &&
    word.endSeconds - word.startSeconds <= STRAY_SECONDS &&
    word.startSeconds - previous.endSeconds < STRAY_SECONDS &&
    next.startSeconds - word.endSeconds < STRAY_SECONDS;
  return isStray ? { ...word, speaker: previous.speaker } : word;
}

type Group = [SpokenWord, ...SpokenWord[]];

async function groupWords(words: readonly SpokenWord[], yieldIfDue: YieldIfDue): Promise<Group[]> {
  const groups: Group[] = [];
  let end = 0;
  let chars = 0;
  for (const [i, owned] of words.entries()) {
    const word = withoutStray(owned, words[i - 1], words[i + 1]);
    await yieldIfDue();
    const group = groups.at(-1);
    if (group === undefined || startsNewGroup(word, group, { end, chars })) {
      groups.push([word]);
      chars = word.text.length;
      end = word.endSeconds;
    } else {
      group.push(word);
      chars += 1 + word.text.length;
      end = Math.max(end, word.endSeconds);
    }
  }
  return groups;
}

function startsNewGroup(word: SpokenWord, group: Group, { end, chars }: { end: number; chars: number }): boolean {
  if (word.speaker !== group[0].speaker) return true;
  const pause = word.startSeconds - end;
  if (pause >= PAUSE_SECONDS) return true;
  const seconds = Math.max(end, word.endSeconds) - group[0].startSeconds;
  const length = chars + 1 + word.text.length;
  if (seconds > MAX_SECONDS || length > MAX_CHARS) return true;
  const isComfortable = seconds > MAX_SECONDS * COMFORTABLE_SHARE || length > MAX_CHARS * COMFORTABLE_SHARE;
  return isComfortable && (pause >= SMALL_PAUSE_SECONDS || /[.!?…。！？]["'”’)]?$/.test(group.at(-1)?.text ?? ''));
}

function endOf(group: Group): number {
  return group.reduce((end, word) => Math.max(end, word.endSeconds), 0);
}
