import { setImmediate as nextTurn } from 'node:timers/promises';
import { watchEventLoop } from '../../helpers/event-loop.ts';

/** The longest turn of the event loop that any input may take. */
export const MAX_TURN_MS = 50;

export interface Longest {
  readonly ms: number;
  readonly label: string;
}

/** Keeps which of many pieces of work took the longest turn of the event loop of this process. */
export function watchLongest() {
  let longest: Longest = { ms: 0, label: 'nothing' };
  return {
    async during<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
      // What prepared the work is over.
      await nextTurn();
      const stop = watchEventLoop();
      const result = await work();
      const ms = stop();
      if (ms > longest.ms) longest = { ms, label };
      return result;
    },
    longest: (): Longest => longest,
  };
}
