import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { WindowStore } from '../../store/windows.ts';

export interface Count {
  /** Which request of the window this is, from 1. */
  readonly used: number;
  readonly resetMs: number;
}

export interface RequestCounter {
  /** Counts a request of a caller in the window of now. @param limit from there on, exactness does not matter */
  count(caller: string, limit: number): Promise<Count>;
}

export interface RequestCounterOptions {
  readonly windows: WindowStore;
  readonly windowMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

/** What this process knows of a caller's window. */
interface Known {
  readonly index: number;
  used: number;
  waiting: ((used: number) => void)[];
  isAsking: boolean;
}

/** A busy database answers within a second or two; one that is away never does. */
const STORE_TIMEOUT_MS = 3_000;
const AWAY_MS = 2_000;
/** Longer than any window, of which other counters have others. */
const KEPT_MS = 180_000;

/**
 * Counts requests together with the other processes of the service. Requests that arrive while a count is under way are
 * added at once afterwards, and a caller who is over the limit is known to be so: a flood costs the database little.
 *
 * While the database is away each process counts for itself: nobody is let in without a count, nor kept out by our own
 * trouble.
 */
export function createRequestCounter(options: RequestCounterOptions): RequestCounter {
  const { windows, windowMs, now, log } = options;
  const callers = new Map<string, Known>();
  let awayUntilMs = 0;
  let cleanedIndex = 0;

  const add = async (id: string, count: number): Promise<number | undefined> => {
    if (now() < awayUntilMs) return undefined;
    try {
      return await within(STORE_TIMEOUT_MS, windows.add(id, count));
    } catch (error) {
      awayUntilMs = now() + AWAY_MS;
      log.warn({ err: error }, 'requests are counted by each process alone: the database cannot be reached');
      return undefined;
    }
  };
  const ask = async (caller: string, known: Known): Promise<void> => {
    known.isAsking = true;
    while (known.waiting.length > 0) {
      const batch = known.waiting;
      known.waiting = [];
      const total = await add(`${timeOf(known.index * windowMs)}/${caller}`, batch.length);
      // What was counted here alone while the database was away counts on.
      known.used = Math.max(total ?? 0, known.used + batch.length);
      for (const [place, resolve] of batch.entries()) resolve(known.used - batch.length + 1 + place);
    }
    known.isAsking = false;
  };
  const clean = (index: number): void => {
    if (index <= cleanedIndex) return;
    cleanedIndex = index;
    for (const [caller, known] of callers) if (known.index < index - 1) callers.delete(caller);
    windows.removeBefore(timeOf(now() - KEPT_MS)).catch((error: unknown) => {
      log.warn({ err: error }, 'old counts were not removed');
    });
  };

  return {
    async count(caller, limit) {
      // Each caller's windows begin at another time, so that clients who wait for the next do not all come at once.
      const shifted = now() + shiftOf(caller, windowMs);
      const index = Math.floor(shifted / windowMs);
      const resetMs = (index + 1) * windowMs - shifted;
      clean(index);
      let known = callers.get(caller);
      if (known?.index !== index) {
        known = { index, used: 0, waiting: [], isAsking: false };
        callers.set(caller, known);
      }
      if (known.used > limit) return { used: known.used, resetMs };
      const { waiting } = known;
      const used = new Promise<number>((resolve) => waiting.push(resolve));
      if (!known.isAsking) void ask(caller, known);
      return { used: await used, resetMs };
    },
  };
}

/** As a text that sorts by time. */
function timeOf(ms: number): string {
  return String(ms).padStart(14, '0');
}

function shiftOf(caller: string, windowMs: number): number {
  return createHash('sha256').update(caller).digest().readUInt32BE(0) % windowMs;
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${String(timeoutMs)} ms`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
