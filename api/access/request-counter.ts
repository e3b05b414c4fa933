import { setTimeout as delay } from 'node:timers/promises';
import { WINDOW_MS, type RequestCount } from '../../store/request-counts.ts';
import type { ServiceDeps } from '../deps.ts';

type CounterDeps = Pick<ServiceDeps, 'requestCounts' | 'now' | 'log'>;

interface Line {
  window: RequestCount;
  readonly waiting: { readonly cost: number; readonly resolve: (count: RequestCount) => void }[];
  isAsking: boolean;
}

/** A busy database answers within a second or two; one that is away never does, and is left alone as long. */
const STORE_TIMEOUT_MS = 3_000;

/**
 * Counts together with the other processes. What arrives while a count is under way is added at once afterwards. While the
 * database is away each process counts alone: nobody is let in without a count, nor kept out by our own trouble. Who is known
 * to be over the limit is not counted further: a flood costs the database nothing.
 */
export function createRequestCounter({ requestCounts, now, log }: CounterDeps, limit: number) {
  const lines = new Map<string, Line>();
  let awayUntilMs = 0;
  let cleanedMs = 0;

  /** What this process knows of the window that is open. */
  const known = (caller: string): RequestCount => {
    const window = lines.get(caller)?.window;
    return window !== undefined && now() < window.startMs + WINDOW_MS ? window : { startMs: now(), used: 0 };
  };
  const countWaiting = async (caller: string, line: Line): Promise<void> => {
    line.isAsking = true;
    while (line.waiting.length > 0) {
      const batch = line.waiting.splice(0);
      const cost = batch.reduce((sum, one) => sum + one.cost, 0);
      const { startMs, used } = known(caller);
      const alone = { startMs, used: used + cost };
      let sum = alone;
      try {
        if (now() >= awayUntilMs) sum = await Promise.race([requestCounts.add(caller, cost, now()), tooLate()]);
      } catch (error) {
        awayUntilMs = now() + STORE_TIMEOUT_MS;
        log.warn({ err: error }, 'requests are counted by each process alone: the database cannot be reached');
      }
      // What was counted here alone while the database was away counts on.
      line.window = sum.used >= alone.used ? sum : alone;
      let place = line.window.used - cost;
      for (const one of batch) one.resolve({ startMs: line.window.startMs, used: (place += one.cost) });
    }
    line.isAsking = false;
  };
  const clean = (): void => {
    cleanedMs = now();
    for (const [caller, line] of lines) if (!line.isAsking && line.window !== known(caller)) lines.delete(caller);
    // The newest window may have begun in the minute before.
    requestCounts.removeBefore(cleanedMs - 3 * WINDOW_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'old counts were not removed');
    });
  };

  return {
    known,
    /**
     * Counts a request, which stands for as many as its cost, and tells the sum up to it. One that changes something waits for the sum of all processes.
     * One that only reads does not, while this process knows of no more than half the limit and has no count under way.
     */
    async count(caller: string, cost: number, isRead: boolean): Promise<RequestCount> {
      if (now() >= cleanedMs + WINDOW_MS) clean();
      const { startMs, used } = known(caller);
      const expected = { startMs, used: used + cost };
      if (used >= limit) return expected;
      const line = lines.get(caller) ?? { window: { startMs, used }, waiting: [], isAsking: false };
      lines.set(caller, line);
      const isFarBelow = !line.isAsking && expected.used <= limit / 2;
      const sum = new Promise<RequestCount>((resolve) => line.waiting.push({ cost, resolve }));
      if (!line.isAsking) void countWaiting(caller, line);
      return isRead && isFarBelow ? expected : sum;
    },
  };
}

async function tooLate(): Promise<never> {
  await delay(STORE_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`no answer within ${String(STORE_TIMEOUT_MS)} ms`);
}
