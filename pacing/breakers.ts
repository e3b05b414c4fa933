import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { afterTrial, halfOpened, refused, remainingMs, TRIAL_TRUST_MS, type Breaker, type Refusal } from './breaker.ts';
import type { BreakerStore, StoredBreaker } from './breaker-store.ts';
import { upstreamUses, type Routes } from './routes.ts';

const FRESH_MS = 1_000;
/** How often a worker that holds back its polls looks whether the breaker has changed. */
const REFRESH_MS = 5_000;
/** Breakers of sites that are remembered. */
const MAX_KNOWN = 1_000;

/** How a use ended: `answered` means that the platform served or refused the subject, `unknown` that nothing was learned. */
export type UseEnd = 'answered' | 'unknown' | Refusal;

/** A use of a route that may begin. */
export interface Pass {
  readonly end: (how: UseEnd) => Promise<void>;
}

/** A circuit breaker that lets nothing through, and for how long. */
export interface OpenBreaker {
  readonly open: Breaker;
  readonly waitMs: number;
}

export interface BreakersOptions {
  readonly store: BreakerStore;
  readonly routes: Routes;
  readonly onError: (error: unknown) => void;
}

interface Known {
  readonly stored: StoredBreaker | undefined;
  /** When the state ends, by the monotonic clock: a step of the wall clock moves nothing. */
  readonly endMs: number;
  readonly readMs: number;
}

/** One process's view of the circuit breaker of a route. It reads when a task starts, and writes only when the breaker changes. */
export class RouteBreaker {
  readonly #route: string;
  readonly #options: BreakersOptions;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #known: Known = { stored: undefined, endMs: 0, readMs: -Infinity };
  #reading: Promise<Known> | undefined;

  constructor(route: string, options: BreakersOptions) {
    this.#route = route;
    this.#options = options;
  }

  /** `trial`: a task that starts now is a trial; `held`: none may start. */
  get state(): 'closed' | 'trial' | 'held' {
    const { stored, endMs } = this.#known;
    if (stored === undefined || stored.breaker.state === 'closed') return 'closed';
    return performance.now() < endMs ? 'held' : 'trial';
  }

  /** @returns the breaker while it is not closed, as it was at most a second ago */
  async open(): Promise<OpenBreaker | undefined> {
    const { stored, endMs } = await this.#read(FRESH_MS);
    if (stored === undefined || stored.breaker.state === 'closed') return undefined;
    return { open: stored.breaker, waitMs: Math.max(0, endMs - performance.now()) };
  }

  /** Lets a use begin if the breaker is closed, or as the trial of one whose pause is over. */
  async enter(): Promise<Pass | OpenBreaker> {
    const found = await this.open();
    const { stored } = this.#known;
    if (found === undefined || stored === undefined) return this.#pass(undefined);
    if (found.waitMs > 0) return found;
    const trialId = `${hostname()}/${randomUUID()}`;
    if (await this.#replace(stored, halfOpened(found.open, trialId, Date.now()))) return this.#pass(trialId);
    await this.#read(0);
    return (await this.open()) ?? this.#pass(undefined);
  }

  /** Resolves at the next change of the breaker or of the slots, or when it is time to look again. */
  async changed(signal: AbortSignal): Promise<void> {
    const heldMs = Math.max(1, this.#known.endMs - performance.now());
    const isHeld = this.state === 'held';
    const timer = isHeld ? setTimeout(() => void this.#refresh(), Math.min(REFRESH_MS, heldMs)) : undefined;
    try {
      await EventEmitter.once(this.#events, 'changed', { signal });
    } finally {
      clearTimeout(timer);
    }
  }

  notify(): void {
    this.#events.emit('changed');
  }

  #pass(trialId: string | undefined): Pass {
    const version = this.#known.stored?.version;
    const { routes } = this.#options;
    const limits = upstreamUses.map((use) => routes[use]).find(({ route }) => route === this.#route) ?? routes.site;
    const end = async (how: UseEnd): Promise<void> => {
      clearTimeout(trust);
      const nowMs = Date.now();
      if (typeof how === 'object')
        await this.#change((before, newest) =>
          refused(before, how, { limits, nowMs, trialId, isOutdated: newest !== version }),
        );
      else if (trialId !== undefined)
        await this.#change((before) => afterTrial(before, trialId, { isAnswered: how === 'answered', nowMs }));
    };
    const trust = trialId === undefined ? undefined : setTimeout(() => void end('answered'), TRIAL_TRUST_MS).unref();
    return { end };
  }

  /** A change that the database does not take is lost: the next refusal opens the breaker. */
  async #change(how: (before: Breaker | undefined, version: string | undefined) => Breaker | undefined): Promise<void> {
    try {
      for (;;) {
        const { stored } = await this.#read(0);
        const after = how(stored?.breaker, stored?.version);
        if (after === undefined || after === stored?.breaker || (await this.#replace(stored, after))) return;
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #replace(before: StoredBreaker | undefined, breaker: Breaker): Promise<boolean> {
    const stored = await this.#options.store.replace(this.#route, before?.version, breaker);
    if (stored !== undefined) this.#learn(stored);
    return stored !== undefined;
  }

  async #refresh(): Promise<void> {
    await this.#read(0).catch(this.#options.onError);
    this.notify();
  }

  #read(maxAgeMs: number): Promise<Known> {
    if (performance.now() - this.#known.readMs < maxAgeMs) return Promise.resolve(this.#known);
    this.#reading ??= this.#options.store
      .read(this.#route)
      .then((stored) => this.#learn(stored))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  #learn(stored: StoredBreaker | undefined): Known {
    const readMs = performance.now();
    if (stored?.version === this.#known.stored?.version) this.#known = { ...this.#known, readMs };
    else {
      const restMs = stored === undefined ? 0 : remainingMs(stored.breaker, Date.now());
      this.#known = { stored, endMs: readMs + restMs, readMs };
      this.notify();
    }
    return this.#known;
  }
}

/** The circuit breakers of all routes and sites, as one process sees them. */
export interface Breakers {
  of(route: string): RouteBreaker;
}

export function createBreakers(options: BreakersOptions): Breakers {
  const known = new Map<string, RouteBreaker>();
  return {
    of(route) {
      const breaker = known.get(route) ?? new RouteBreaker(route, options);
      known.set(route, breaker);
      const oldest = known.size > MAX_KNOWN ? [...known.keys()].find((name) => name.startsWith('site/')) : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return breaker;
    },
  };
}
