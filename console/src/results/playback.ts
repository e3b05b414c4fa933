import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { currentOf, wordsOf, type Line, type SpokenWord } from './transcript-lines.ts';

/** Where in a transcript the playback is. */
export interface Place {
  /** -1: before the first line. */
  readonly line: number;
  readonly word: number;
  readonly isPlaying: boolean;
}

const BEFORE: Place = { line: -1, word: -1, isPlaying: false };
const known = new WeakMap<Line, readonly SpokenWord[]>();

/** The words of a line, worked out once. */
export function knownWordsOf(line: Line): readonly SpokenWord[] {
  const words = known.get(line) ?? wordsOf(line);
  known.set(line, words);
  return words;
}

/** Follows a player word by word, as often as the screen is drawn; told is only what changes. */
export function usePlace(media: RefObject<HTMLMediaElement | null>, lines: readonly Line[]): Place {
  const [place, setPlace] = useState(BEFORE);
  useEffect(() => {
    const player = media.current;
    if (player === null) return undefined;
    let frame = 0;
    const look = (): void => {
      const seconds = player.currentTime;
      const line = currentOf(lines, seconds);
      const now = lines[line];
      const word = now === undefined ? -1 : currentOf(knownWordsOf(now), seconds);
      const isPlaying = !player.paused && !player.ended;
      setPlace((before) =>
        before.line === line && before.word === word && before.isPlaying === isPlaying
          ? before
          : { line, word, isPlaying },
      );
    };
    const keepLooking = (): void => {
      look();
      cancelAnimationFrame(frame);
      if (!player.paused && !player.ended) frame = requestAnimationFrame(keepLooking);
    };
    const events = ['play', 'playing', 'pause', 'ended', 'seeking', 'seeked', 'timeupdate'] as const;
    for (const name of events) player.addEventListener(name, keepLooking);
    return () => {
      cancelAnimationFrame(frame);
      for (const name of events) player.removeEventListener(name, keepLooking);
    };
  }, [media, lines]);
  return place;
}

/** Goes to a moment, and plays from there. */
export function playFrom(player: HTMLMediaElement | null, seconds: number): void {
  if (player === null) return;
  player.currentTime = seconds;
  // A browser may want a click on the player itself first.
  player.play().catch(() => undefined);
}
