import type { Logger } from 'pino';
import type { Tally, WindowStore } from '../../store/windows.ts';
import { timeOf } from './slots.ts';
import { CallerTally, sumOf, withAdded, type Counted, type Place } from './tally.ts';

export interface Tallies {
  /** @returns the place of the newest of such requests, as this process knows it */
  known(id: string, request: Counted): Place | undefined;
  /** @returns when a window began, from the database where this process does not know it */
  startOf(id: string): Promise<number | undefined>;
  /** Counts a request. @param startMs of a window that is not there yet */
  add(id: string, startMs: number, request: Counted): Promise<Place>;
  /** Forgets what began earlier, here and in the database. */
  removeBefore(ms: number): void;
}

export interface TalliesOptions {
  readonly windows: WindowStore;
  /** How often a poll may be made before it counts. */
  readonly freePolls: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

interface Waiting {
  readonly request: Counted;
  readonly resolve: (place: Place) => void;
}

/** A busy database answers within a second or two; one that is away never does. */
const STORE_TIMEOUT_MS = 3_000;
const AWAY_MS = 2_000;

/**
 * Counts together with the other processes of the service. What arrives while a count is under way is added at once
 * afterwards: many requests at a time cost the database little.
 *
 * While the database is away each process counts for itself: nobody is let in without a count, nor kept out by our own
 * trouble.
 */
export function createTallies({ windows, freePolls, now, log }: TalliesOptions): Tallies {
  const sumsById = new Map<string, { readonly sums: Tally; readonly caller: CallerTally }>();
  const waiting = new Map<string, Waiting[]>();
  let awayUntilMs = 0;

  const unlessAway = async <Result>(ask: () => Promise<Result>): Promise<Result | undefined> => {
    if (now() < awayUntilMs) return undefined;
    try {
      return await within(STORE_TIMEOUT_MS, ask());
    } catch (error) {
      awayUntilMs = now() + AWAY_MS;
      log.warn({ err: error }, 'requests are counted by each process alone: the database cannot be reached');
      return undefined;
    }
  };
  const addAll = async (id: string, startMs: number, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      const added = sumOf(
        startMs,
        batch.map(({ request }) => request),
      );
      const kept = await unlessAway(() => windows.add(id, added));
      const known = sumsById.get(id)?.sums;
      const alone = known === undefined ? added : withAdded(known, added);
      // What was counted here alone while the database was away counts on.
      const sums = kept !== undefined && kept.used >= alone.used ? kept : alone;
      const caller = new CallerTally(withAdded(sums, added, -1), freePolls);
      for (const { request, resolve } of batch) resolve(caller.add(request));
      sumsById.set(id, { sums, caller });
    }
    waiting.delete(id);
  };

  return {
    known: (id, request) => sumsById.get(id)?.caller.placeOf(request),
    async startOf(id) {
      const known = sumsById.get(id);
      return known === undefined ? (await unlessAway(() => windows.get(id)))?.startMs : known.sums.startMs;
    },
    add: (id, startMs, request) =>
      new Promise((resolve) => {
        const queue = waiting.get(id);
        if (queue !== undefined) {
          queue.push({ request, resolve });
          return;
        }
        const own = [{ request, resolve }];
        waiting.set(id, own);
        void addAll(id, startMs, own);
      }),
    removeBefore(ms) {
      const time = timeOf(ms);
      for (const id of sumsById.keys()) if (id < time) sumsById.delete(id);
      windows.removeBefore(time).catch((error: unknown) => {
        log.warn({ err: error }, 'old counts were not removed');
      });
    },
  };
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${String(timeoutMs)} ms`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
