import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { currentOf, wordsOf, type Line, type SpokenWord } from './transcript-lines.ts';

interface Position {
  /** The index of the line; -1 before the first line. */
  readonly line: number;
  readonly word: number;
  readonly isPlaying: boolean;
}

const BEFORE: Position = { line: -1, word: -1, isPlaying: false };
const known = new WeakMap<Line, readonly SpokenWord[]>();

/** Returns the words of a line, computed once. */
export function cachedWordsOf(line: Line): readonly SpokenWord[] {
  const words = known.get(line) ?? wordsOf(line);
  known.set(line, words);
  return words;
}

/** Follows a player word by word in each animation frame; the component is rendered again only on changes. */
export function usePosition(media: RefObject<HTMLMediaElement | null>, lines: readonly Line[]): Position {
  const [position, setPosition] = useState(BEFORE);
  useEffect(() => {
    const player = media.current;
    if (player === null) return undefined;
    let frame = 0;
    const look = (): void => {
      const seconds = player.currentTime;
      const line = currentOf(lines, seconds);
      const now = lines[line];
      const word = now === undefined ? -1 : currentOf(cachedWordsOf(now), seconds);
      const isPlaying = !player.paused && !player.ended;
      setPosition((before) =>
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
  return position;
}

export function playFrom(player: HTMLMediaElement | null, seconds: number): void {
  if (player === null) return;
  player.currentTime = seconds;
  // A browser may require a click on the player first.
  player.play().catch(() => undefined);
}
