import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { failureFor, type Failure } from '../contract/failures.ts';
import {
  afterTrial,
  halfOpened,
  refused,
  remainingMs,
  TRIAL_TRUST_MS,
  type Breaker,
  type Refusal,
  outsideHours,
  usedUp,
} from './breaker.ts';
import { changeBreaker, type BreakerChange, type BreakerStore, type StoredBreaker } from './breaker-store.ts';
import type { DailyLimits, PauseLimits, Routes } from './routes.ts';

const FRESH_MS = 1_000;
/** The interval at which a worker that does not poll checks whether the breaker has changed. */
const REFRESH_MS = 5_000;
const MAX_KNOWN = 1_000;

/** `answered`: the platform accepts requests by this route. `unknown`: the use has not shown whether it does. */
export type UseEnd = 'answered' | 'unknown' | Refusal;

export interface Pass {
  readonly end: (how: UseEnd) => Promise<void>;
}

/** A circuit breaker that is not closed. */
export interface OpenBreaker {
  readonly open: Breaker;
  /** The time until the next trial; 0 if it may start now. */
  readonly waitMs: number;
}

interface BreakersOptions {
  readonly store: BreakerStore;
  readonly routes: Routes;
  readonly onError: (error: unknown) => void;
}

export type RouteBreaker = ReturnType<typeof createRouteBreaker>;

/** The circuit breaker of a route, as this process knows it. It is read when an activity starts, and written only when it changes. */
function createRouteBreaker(route: string, { store, routes, onError }: BreakersOptions) {
  const limits: PauseLimits & DailyLimits =
    Object.values(routes).find((one) => 'route' in one && one.route === route) ?? routes.site;
  const events = new EventEmitter().setMaxListeners(0);
  let known: StoredBreaker | undefined;
  let readMs = -Infinity;
  /** The end of the state by the monotonic clock, which cannot be set. */
  let endMs = 0;
  let reading: Promise<void> | undefined;

  const notify = (): void => void events.emit('changed');
  const learn = (stored: StoredBreaker | undefined): void => {
    readMs = performance.now();
    if (stored?.version === known?.version) return;
    known = stored;
    endMs = readMs + (stored === undefined ? 0 : remainingMs(stored, Date.now()));
    notify();
  };
  const read = async (maxAgeMs: number): Promise<void> => {
    if (performance.now() - readMs < maxAgeMs) return;
    reading ??= store
      .read(route)
      .then(learn)
      .finally(() => (reading = undefined));
    await reading;
  };
  const openNow = (): OpenBreaker | undefined => {
    const nowMs = Date.now();
    const waitMs = Math.max(0, endMs - performance.now());
    const outside = limits.hours === undefined ? undefined : outsideHours(limits.hours, nowMs);
    const own = known === undefined || known.state === 'closed' ? undefined : { open: known, waitMs };
    const other = outside && { open: outside, waitMs: remainingMs(outside, nowMs) };
    return (own?.waitMs ?? 0) >= (other?.waitMs ?? 0) ? own : other;
  };
  const open = async (): Promise<OpenBreaker | undefined> => {
    await read(FRESH_MS);
    return openNow();
  };
  /** If the database does not accept the change, it is lost, and the next refusal opens the breaker. */
  const change = (how: BreakerChange): Promise<void> => changeBreaker(store, route, how).then(learn).catch(onError);

  const pass = (trialId?: string): Pass => {
    const version = known?.version;
    const end = async (how: UseEnd): Promise<void> => {
      clearTimeout(trust);
      const nowMs = Date.now();
      if (typeof how === 'object') {
        await change((before) =>
          refused(before, how, { limits, nowMs, trialId, isOutdated: before?.version !== version }),
        );
      } else if (trialId !== undefined) {
        const isAnswered = how === 'answered';
        await change((before) => (before?.trialBy === trialId ? afterTrial(before, isAnswered, nowMs) : before));
      }
    };
    const trust = trialId === undefined ? undefined : setTimeout(() => void end('answered'), TRIAL_TRUST_MS).unref();
    return { end };
  };

  /** Counts a start. The last one of a day opens the breaker for all workers. */
  const start = async (trialId?: string): Promise<Pass | OpenBreaker> => {
    const { startsPerDay } = limits;
    if (startsPerDay === undefined) return pass(trialId);
    const nowMs = Date.now();
    const starts = await store.countStart(route, nowMs);
    const open = usedUp(startsPerDay, nowMs);
    if (starts >= startsPerDay) await change((before) => (before?.state === 'open' ? before : open));
    return starts > startsPerDay ? { open, waitMs: open.spanMs } : pass(trialId);
  };

  return {
    /** `trial`: the next activity is a trial. `held`: no activity may start. */
    get state(): 'closed' | 'trial' | 'held' {
      const found = openNow();
      if (found === undefined) return 'closed';
      return found.waitMs > 0 ? 'held' : 'trial';
    },

    /** @returns the breaker unless it is closed; at most a second old */
    open,

    /** Lets a use begin if the breaker is closed, or as the trial if the pause is over. */
    async enter(): Promise<Pass | OpenBreaker> {
      const found = await open();
      if (found === undefined) return start();
      if (found.waitMs > 0) return found;
      const trialId = `${hostname()}/${randomUUID()}`;
      const trial = await store.replace(route, known?.version, halfOpened(found.open, trialId, Date.now()));
      if (trial !== undefined) {
        learn(trial);
        return start(trialId);
      }
      // Another worker has changed the breaker.
      await read(0);
      return openNow() ?? start();
    },

    /** Resolves when the breaker or the slots change. */
    async changed(signal: AbortSignal): Promise<void> {
      const { waitMs = 0 } = openNow() ?? {};
      const refresh = (): void => void read(0).catch(onError).then(notify);
      const timer = waitMs > 0 ? setTimeout(refresh, Math.min(REFRESH_MS, waitMs)) : undefined;
      await EventEmitter.once(events, 'changed', { signal }).finally(() => clearTimeout(timer));
    },

    notify,
  };
}

export type Breakers = ReturnType<typeof createBreakers>;

export function createBreakers(options: BreakersOptions) {
  const known = new Map<string, RouteBreaker>();
  return {
    of(route: string): RouteBreaker {
      const breaker = known.get(route) ?? createRouteBreaker(route, options);
      known.set(route, breaker);
      const oldest = known.size > MAX_KNOWN ? [...known.keys()].find((name) => name.startsWith('site/')) : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return breaker;
    },
  };
}

export const createBreakerActivities = ({ breakers }: { readonly breakers: Breakers }) => ({
  /** @returns the failure of a job whose activity has waited for its route until its time was over */
  refusalOf: async ({ route }: { route: string }): Promise<Failure> => {
    const found = await breakers.of(route).open();
    if (found !== undefined) return { code: found.open.code, message: found.open.reason };
    return failureFor('routeBusy');
  },
});
