import { setTimeout as delay } from 'node:timers/promises';
import { makeRoom } from '../../runtime/make-room.ts';
import { WINDOW_MS, type RequestCount } from '../../store/accounts/request-counts.ts';
import type { ServiceDeps } from '../service-deps.ts';

type CounterDeps = Pick<ServiceDeps, 'requestCounts' | 'now' | 'elapsed' | 'log'>;

/** The requests of a caller in the current window. */
interface Count {
  readonly used: number;
  /** The end of the window on the monotonic clock, which setting the system clock does not change. */
  readonly endsAt: number;
  /** The number of requests that this process has refused in the window. */
  readonly refused: number;
}

/** The requests of a caller in a window, as known to this process. */
interface Line {
  window: RequestCount;
  endsAt: number;
  refused: number;
  /** Whether the window is that of the database, to which all processes add. */
  isShared: boolean;
  readonly waiting: { readonly cost: number; readonly resolve: (count: Count) => void }[];
  /** Requests that were accepted before they were part of the sum, and those of them that are not being written yet. */
  ahead: number;
  unwritten: number;
  isAsking: boolean;
  /** The number of requests that wait for a sum. */
  awaited: number;
  askedAt: number;
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
  const lines = new Map<string, Line>();
  const mostAhead = Math.max(1, Math.floor(limit * AHEAD_OF_LIMIT));
  let awayUntil = -Infinity;
  let cleanedAt = -Infinity;

  const isOpen = ({ endsAt }: Line): boolean => elapsed() < endsAt;
  /** The current window, as known to this process. */
  const known = (caller: string): Count => {
    const line = lines.get(caller);
    if (line === undefined || !isOpen(line)) return { used: 0, endsAt: elapsed() + WINDOW_MS, refused: 0 };
    return { used: line.window.used + line.ahead, endsAt: line.endsAt, refused: line.refused };
  };
  const lineOf = (caller: string): Line => {
    const line = lines.get(caller);
    if (line !== undefined && isOpen(line)) return line;
    // Unwritten counts of a past window are dropped.
    clearTimeout(line?.timer);
    const fresh: Line = {
      window: { startMs: now(), used: 0 },
      endsAt: elapsed() + WINDOW_MS,
      refused: 0,
      isShared: false,
      waiting: [],
      ahead: 0,
      unwritten: 0,
      isAsking: false,
      awaited: 0,
      askedAt: -Infinity,
    };
    makeRoom(lines, CALLERS_MAX);
    lines.set(caller, fresh);
    return fresh;
  };
  const ask = async (caller: string, line: Line): Promise<void> => {
    clearTimeout(line.timer);
    line.timer = undefined;
    line.isAsking = true;
    do {
      const batch = line.waiting.splice(0);
      const { unwritten, window, isShared: isKnown } = line;
      line.unwritten = 0;
      line.askedAt = elapsed();
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
      line.isShared = sum !== undefined && sum.used >= alone.used;
      line.window = sum !== undefined && line.isShared ? sum : alone;
      // A window that another process has started earlier ends earlier.
      if (line.window.startMs !== window.startMs) {
        line.endsAt = elapsed() + Math.min(WINDOW_MS, line.window.startMs + WINDOW_MS - now());
      }
      line.ahead -= unwritten;
      line.awaited -= batch.length;
      let place = line.window.used - cost + unwritten;
      const { endsAt, refused } = line;
      for (const { resolve, cost: own } of batch) resolve({ endsAt, refused, used: (place += own) });
    } while (line.waiting.length > 0);
    line.isAsking = false;
    if (line.unwritten !== 0) askSoon(caller, line);
  };
  const askSoon = (caller: string, line: Line): void => {
    if (line.isAsking) return;
    const leftMs = line.askedAt + WRITE_MS - elapsed();
    if (leftMs <= 0 || line.unwritten >= mostAhead) void ask(caller, line);
    else line.timer ??= setTimeout(() => void ask(caller, line), leftMs).unref();
  };
  const clean = (): void => {
    cleanedAt = elapsed();
    for (const [caller, line] of lines) {
      if (line.isAsking || isOpen(line)) continue;
      clearTimeout(line.timer);
      lines.delete(caller);
    }
    // The newest window may have started in the previous minute.
    requestCounts.removeBefore(now() - 3 * WINDOW_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'old counts were not removed');
    });
  };

  return {
    known,
    /**
     * Counts a request, which stands for as many as its cost, and tells the sum up to it. One that changes something waits for
     * the sum of all processes. One that only reads does not, while this process knows of no more than a quarter of the limit, nobody
     * waits for a sum, and few others were let pass before they were in the sum: as many are written together, or what there is after a second.
     */
    async count(caller: string, cost: number, isRead: boolean): Promise<Count> {
      if (elapsed() >= cleanedAt + WINDOW_MS) clean();
      const line = lineOf(caller);
      const before = known(caller);
      const expected = { ...before, used: before.used + cost };
      if (before.used >= limit && cost > 0) {
        line.refused += 1;
        return expected;
      }
      const isFarBelow = line.awaited === 0 && expected.used <= limit / 4;
      if (isRead && isFarBelow && line.ahead + cost <= mostAhead) {
        line.ahead += cost;
        line.unwritten += cost;
        askSoon(caller, line);
        return expected;
      }
      return new Promise<Count>((resolve) => {
        line.awaited += 1;
        line.waiting.push({ cost, resolve });
        if (!line.isAsking) void ask(caller, line);
      });
    },
  };
}

async function tooLate(): Promise<never> {
  await delay(STORE_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`no answer within ${String(STORE_TIMEOUT_MS)} ms`);
}
