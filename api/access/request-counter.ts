import { setTimeout as delay } from 'node:timers/promises';
import { makeRoom } from '../../runtime/recent-cache.ts';
import { WINDOW_MS, type RequestCount } from '../../store/accounts/request-counts.ts';
import type { ServiceDeps } from '../service-deps.ts';

type CounterDeps = Pick<ServiceDeps, 'requestCounts' | 'now' | 'elapsed' | 'log'>;

interface Count {
  readonly used: number;
  /** The end of the window on the monotonic clock, which setting the system clock does not change. */
  readonly endsAt: number;
  readonly refused: number;
}

interface CallerCount {
  window: RequestCount;
  endsAt: number;
  refused: number;
  /** Whether the window is that of the database, to which all processes add. */
  isShared: boolean;
  readonly waiting: { readonly cost: number; readonly resolve: (count: Count) => void }[];
  /** Requests that were accepted before they were part of the sum, and those of them that are not being written yet. */
  ahead: number;
  unwritten: number;
  isWriting: boolean;
  awaited: number;
  wroteAt: number;
  timer?: NodeJS.Timeout | undefined;
}

/** How many callers a process counts at a time. The counts of others remain in the database. */
export const CALLERS_MAX = 50_000;
/** A busy database answers within a second or two. One that cannot be reached is not queried for this long. */
const STORE_TIMEOUT_MS = 3_000;
/** How often a process writes counts for which no request waits. */
const WRITE_MS = 1_000;
/** The part of the limit that a process accepts before it is part of the sum: one of 90 requests. */
const AHEAD_OF_LIMIT = 1 / 64;

/**
 * Counts together with the other processes. Requests that arrive during a write are added in one write afterwards. While the
 * database cannot be reached, each process counts alone: no request is accepted without a count or refused for this reason. A
 * caller that is over the limit is not counted further, so that a flood causes no load on the database.
 */
export function createRequestCounter({ requestCounts, now, elapsed, log }: CounterDeps, limit: number) {
  const counts = new Map<string, CallerCount>();
  const mostAhead = Math.max(1, Math.floor(limit * AHEAD_OF_LIMIT));
  let awayUntil = -Infinity;
  let cleanedAt = -Infinity;

  const isOpen = ({ endsAt }: CallerCount): boolean => elapsed() < endsAt;
  const known = (caller: string): Count => {
    const own = counts.get(caller);
    if (own === undefined || !isOpen(own)) return { used: 0, endsAt: elapsed() + WINDOW_MS, refused: 0 };
    return { used: own.window.used + own.ahead, endsAt: own.endsAt, refused: own.refused };
  };
  const countOf = (caller: string): CallerCount => {
    const own = counts.get(caller);
    if (own !== undefined && isOpen(own)) return own;
    clearTimeout(own?.timer);
    const fresh: CallerCount = {
      window: { startMs: now(), used: 0 },
      endsAt: elapsed() + WINDOW_MS,
      refused: 0,
      isShared: false,
      waiting: [],
      ahead: 0,
      unwritten: 0,
      isWriting: false,
      awaited: 0,
      wroteAt: -Infinity,
    };
    makeRoom(counts, CALLERS_MAX);
    counts.set(caller, fresh);
    return fresh;
  };
  const write = async (caller: string, own: CallerCount): Promise<void> => {
    clearTimeout(own.timer);
    own.timer = undefined;
    own.isWriting = true;
    do {
      const batch = own.waiting.splice(0);
      const { unwritten, window, isShared: isKnown } = own;
      own.unwritten = 0;
      own.wroteAt = elapsed();
      const cost = batch.reduce((sum, one) => sum + one.cost, unwritten);
      const alone = { startMs: window.startMs, used: window.used + cost };
      let sum: RequestCount | undefined;
      try {
        const adding = { startMs: window.startMs, isKnown };
        if (elapsed() >= awayUntil) sum = await Promise.race([requestCounts.add(caller, cost, adding), tooLate()]);
      } catch (error) {
        awayUntil = elapsed() + STORE_TIMEOUT_MS;
        log.warn({ err: error }, 'requests are counted by each process alone: the database cannot be reached');
      }
      // Requests that this process counted alone remain counted.
      own.isShared = sum !== undefined && sum.used >= alone.used;
      own.window = sum !== undefined && own.isShared ? sum : alone;
      // If another process has started the window earlier, it ends earlier.
      if (own.window.startMs !== window.startMs) {
        own.endsAt = elapsed() + Math.min(WINDOW_MS, own.window.startMs + WINDOW_MS - now());
      }
      own.ahead -= unwritten;
      own.awaited -= batch.length;
      let used = own.window.used - cost + unwritten;
      const { endsAt, refused } = own;
      for (const request of batch) request.resolve({ endsAt, refused, used: (used += request.cost) });
    } while (own.waiting.length > 0);
    own.isWriting = false;
    if (own.unwritten !== 0) writeSoon(caller, own);
  };
  const writeSoon = (caller: string, own: CallerCount): void => {
    if (own.isWriting) return;
    const leftMs = own.wroteAt + WRITE_MS - elapsed();
    if (leftMs <= 0 || own.unwritten >= mostAhead) void write(caller, own);
    else own.timer ??= setTimeout(() => void write(caller, own), leftMs).unref();
  };
  const clean = (): void => {
    cleanedAt = elapsed();
    for (const [caller, own] of counts) {
      if (own.isWriting || isOpen(own)) continue;
      clearTimeout(own.timer);
      counts.delete(caller);
    }
    // The newest window may have started in the previous minute.
    requestCounts.removeBefore(now() - 3 * WINDOW_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'old counts were not removed');
    });
  };

  return {
    known,
    /**
     * Counts a request with its cost, and returns the sum. A request that changes something waits for the sum of all processes.
     * A request that only reads waits for it only if the caller is above a quarter of the limit, another request waits for the
     * sum, or many requests were accepted before they were part of it.
     */
    async count(caller: string, cost: number, isRead: boolean): Promise<Count> {
      if (elapsed() >= cleanedAt + WINDOW_MS) clean();
      const own = countOf(caller);
      const before = known(caller);
      const expected = { ...before, used: before.used + cost };
      if (before.used >= limit && cost > 0) {
        own.refused += 1;
        return expected;
      }
      const isFarBelow = own.awaited === 0 && expected.used <= limit / 4;
      if (isRead && isFarBelow && own.ahead + cost <= mostAhead) {
        own.ahead += cost;
        own.unwritten += cost;
        writeSoon(caller, own);
        return expected;
      }
      return new Promise<Count>((resolve) => {
        own.awaited += 1;
        own.waiting.push({ cost, resolve });
        if (!own.isWriting) void write(caller, own);
      });
    },
  };
}

async function tooLate(): Promise<never> {
  await delay(STORE_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`no answer within ${String(STORE_TIMEOUT_MS)} ms`);
}
