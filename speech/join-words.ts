import type { KeptSegment } from '../contract/kinds/speaker-labels.ts';
import type { Turn, Word } from '../contract/speech-results.ts';
import { toMilliseconds } from '../contract/text/times.ts';
import { createTurns } from '../runtime/subprocess/yield-to-event-loop.ts';

/** A pause of this length ends a segment. */
const PAUSE_SECONDS = 0.9;
/** What can be read at a glance. */
const MAX_SECONDS = 12;
const MAX_CHARS = 200;
/** From this length on a segment ends at the first sentence end or small pause, before it has to. */
const COMFORTABLE_SHARE = 0.6;
const SMALL_PAUSE_SECONDS = 0.35;
/** A word in no turn belongs to a turn that is as near as this, before it is left to its neighbours. */
const NEAR_SECONDS = 1;
/** A single word between words of one other speaker, and no longer than this, is theirs: borders of turns are not that exact. */
const STRAY_SECONDS = 0.3;

interface OwnedWord extends Word {
  readonly speaker: number;
}

/**
 * Gives each word to the speaker whose turns overlap it most, and joins words into segments of readable length. Gives way: half
 * a day of audio has more than a hundred thousand words.
 *
 * @param words in any order; empty ones are left out
 * @param turns of turns.ts. Without any, all is said by one speaker
 * @returns segments in order of their start; they hold all words, each once, in order
 */
export async function joinWords(words: readonly Word[], turns: readonly Turn[]): Promise<KeptSegment[]> {
  const giveWay = createTurns();
  const sorted = words
    .filter(({ text }) => text.trim() !== '')
    .sort((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  await giveWay();
  const owned = await withOwners(sorted, turns, giveWay);
  const labels = new Map<number, string>();
  const segments: KeptSegment[] = [];
  for (const group of await split(owned, giveWay)) {
    const [first] = group;
    const label = labels.get(first.speaker) ?? `Speaker ${labels.size + 1}`;
    labels.set(first.speaker, label);
    segments.push(segmentOf(group, label));
    await giveWay();
  }
  return segments;
}

function segmentOf(group: Group, label: string): KeptSegment {
  const [first] = group;
  return {
    text: group.map(({ text }) => text).join(' '),
    start: toMilliseconds(first.startSeconds),
    duration: toMilliseconds(Math.max(0, endOf(group) - first.startSeconds)),
    speaker: label,
    // A word of the engine may have a blank in it, such as one with a dash.
    wordStarts: group.flatMap(({ text, startSeconds }) => text.split(/\s+/).map(() => toMilliseconds(startSeconds))),
  };
}

type GiveWay = () => Promise<void>;

/** Both lists are in order, so one pass over them is enough. */
async function withOwners(
  words: readonly Word[],
  turns: readonly Turn[],
  giveWay: GiveWay,
): Promise<readonly OwnedWord[]> {
  const sorted = turns.toSorted((a, b) => a.startSeconds - b.startSeconds);
  let open: Turn[] = [];
  let next = 0;
  let before = sorted[0]?.speaker ?? 0;
  const owned: OwnedWord[] = [];
  for (const word of words) {
    for (; isNear(sorted[next], word); next++) open.push(...sorted.slice(next, next + 1));
    open = open.filter((turn) => turn.endSeconds >= word.startSeconds - NEAR_SECONDS);
    before = ownerOf(word, open, before);
    owned.push({ ...word, text: word.text.trim(), speaker: before });
    await giveWay();
  }
  return owned;
}

function isNear(turn: Turn | undefined, word: Word): boolean {
  return turn !== undefined && turn.startSeconds <= word.endSeconds + NEAR_SECONDS;
}

/** By overlap; where nobody speaks, by distance; else whoever spoke before. */
function ownerOf(word: Word, turns: readonly Turn[], before: number): number {
  const overlaps = new Map<number, number>();
  let nearest: { speaker: number; distance: number } | undefined;
  for (const turn of turns) {
    const overlap = Math.min(word.endSeconds, turn.endSeconds) - Math.max(word.startSeconds, turn.startSeconds);
    if (overlap > 0) overlaps.set(turn.speaker, (overlaps.get(turn.speaker) ?? 0) + overlap);
    if (nearest === undefined || -overlap < nearest.distance) nearest = { speaker: turn.speaker, distance: -overlap };
  }
  const most = Math.max(0, ...overlaps.values());
  // Where two speak at once through the whole word, the one who was speaking goes on.
  if (most > 0 && overlaps.get(before) === most) return before;
  const leader = [...overlaps].find(([, overlap]) => overlap === most)?.[0];
  return leader ?? nearest?.speaker ?? before;
}

/** @returns the word, or the same as one of its neighbours' speaker */
function withoutStray(word: OwnedWord, before: OwnedWord | undefined, after: OwnedWord | undefined): OwnedWord {
  const isStray =
    before !== undefined &&
    before.speaker === after?.speaker &&
    before.speaker !== word.speaker &&
    word.endSeconds - word.startSeconds <= STRAY_SECONDS &&
    word.startSeconds - before.endSeconds < STRAY_SECONDS &&
    after.startSeconds - word.endSeconds < STRAY_SECONDS;
  return isStray ? { ...word, speaker: before.speaker } : word;
}

type Group = [OwnedWord, ...OwnedWord[]];

async function split(words: readonly OwnedWord[], giveWay: GiveWay): Promise<Group[]> {
  const groups: Group[] = [];
  let end = 0;
  let chars = 0;
  for (const [i, owned] of words.entries()) {
    const word = withoutStray(owned, words[i - 1], words[i + 1]);
    await giveWay();
    const group = groups.at(-1);
    if (group === undefined || startsNew(word, group, { end, chars })) {
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

function startsNew(word: OwnedWord, group: Group, { end, chars }: { end: number; chars: number }): boolean {
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
