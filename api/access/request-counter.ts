import { slotOf, timeOf } from './slots.ts';
import { createTallies, type TalliesOptions } from './tallies.ts';
import type { Counted, Place } from './tally.ts';

export interface Count {
  /** How many requests of the window count, up to this one. */
  readonly used: number;
  readonly resetMs: number;
  /** Whether this one does not count. */
  readonly isFree: boolean;
}

export type CountRequest = (caller: string, request?: Counted) => Promise<Count>;

/** What is no poll and never will be. */
const OTHER: Counted = { isPoll: false };

export interface RequestCounterOptions extends Omit<TalliesOptions, 'freePolls'> {
  readonly windowMs: number;
  /** Requests in a window; beyond, exactness does not matter. */
  readonly limit: number;
}

/**
 * Free repetitions of one poll in a window. Whoever asks every 30 s, as answers tell, has up to three arrive within 60 s;
 * one key may have two of them.
 */
const FREE_POLLS = 4;
/** All polls of a caller in a window, as a multiple of the limit: 1,800 jobs that are asked for every 30 s. */
const POLLS_PER_REQUEST = 40;
/** How many windows tallies are kept for. The newest may have begun in the slot before. */
const KEPT_WINDOWS = 3;

/** A window of a caller. */
interface Window {
  readonly id: string;
  /** When this process looked; the start, unless another request came first. */
  readonly lookedAtMs: number;
}

/**
 * Counts the requests of callers in windows that all processes share. A window begins with a request, so that a burst has
 * the whole limit whenever it comes. At most one begins in each slot of time, so its id is known to everybody: the slot and
 * the caller.
 */
export function createRequestCounter(options: RequestCounterOptions): CountRequest {
  const { windowMs, limit, now } = options;
  const freePolls = Math.min(FREE_POLLS, limit);
  const tallies = createTallies({ ...options, freePolls });
  const windows = new Map<string, Promise<Window>>();
  let cleanedMs = 0;

  const idOf = (caller: string, slotMs: number): string => `${timeOf(slotMs)}/${caller}`;
  const isOpen = (startMs: number): boolean => now() < startMs + windowMs;
  const find = async (caller: string): Promise<Window> => {
    const lookedAtMs = now();
    const slotMs = slotOf(lookedAtMs, windowMs);
    const before = idOf(caller, slotMs - windowMs);
    const startMs = await tallies.startOf(before);
    return { id: startMs !== undefined && isOpen(startMs) ? before : idOf(caller, slotMs), lookedAtMs };
  };
  const clean = (): void => {
    const slotMs = slotOf(now(), windowMs);
    if (slotMs <= cleanedMs) return;
    cleanedMs = slotMs;
    windows.clear();
    tallies.removeBefore(slotMs - KEPT_WINDOWS * windowMs);
  };
  const windowOf = async (caller: string): Promise<Window> => {
    clean();
    const known = windows.get(caller);
    if (known !== undefined) {
      const window = await known;
      if (isOpen(tallies.known(window.id, OTHER)?.startMs ?? window.lookedAtMs)) return window;
    }
    // Whoever waited for the same may have been quicker.
    const newest = windows.get(caller);
    if (newest !== undefined && newest !== known) return newest;
    const found = find(caller);
    windows.set(caller, found);
    return found;
  };

  const countOf = ({ startMs, used }: Place, isFree: boolean): Count => ({
    ...{ used, isFree, resetMs: startMs + windowMs - now() },
  });
  return async (caller, request = OTHER) => {
    const window = await windowOf(caller);
    // Who is over the limit is known to be so: a flood costs the database nothing.
    const known = tallies.known(window.id, request);
    if (known?.isTooOften === true && known.used > limit) return countOf(known, false);
    const place = await tallies.add(window.id, window.lookedAtMs, request);
    if (place.isTooOften) return countOf(place, false);
    if (place.polls <= limit * POLLS_PER_REQUEST) return countOf(place, true);
    return countOf(await tallies.add(window.id, window.lookedAtMs, OTHER), false);
  };
}
