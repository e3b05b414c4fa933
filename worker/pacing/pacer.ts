import { randomUUID } from 'node:crypto';
import type { RouteLimits } from '../../runtime/pacing.ts';
import { QUIET_ROUTE, type RouteState } from '../../runtime/pauses.ts';
import {
  isForgettable,
  left,
  NOBODY,
  placesOf,
  renewed,
  type PacingState,
  type PacingStore,
  type Places,
  type Versioned,
} from '../../runtime/shares.ts';
import { Budget } from './budget.ts';

const RENEW_MS = 1_000;
/** Who has not renewed for so long, as seen by others, has lost its share. */
const LEASE_MS = 5_000;
/** It stops using it earlier. */
const MARGIN_MS = 1_000;
/** How long a change, or the end of the membership, may keep somebody waiting; a change is repeated until it is made. */
const PATIENCE_MS = 2_000;

export interface PacerOptions {
  readonly store: PacingStore;
  /** Of the document that the workers share. */
  readonly id: string;
  readonly limits: Readonly<Record<string, RouteLimits>>;
  /** By route the most places that this worker uses, if that is less than its share. */
  readonly caps: Readonly<Record<string, number>>;
  /** Told when the share cannot be renewed. */
  readonly onError: (error: unknown) => void;
}

type Change = (state: PacingState) => PacingState;

/**
 * A worker's membership among those that share routes. It renews its lease once a second, and changes what is shared only
 * together with that, each time by comparing the version: so one at a time decides, whoever it is.
 *
 * No clock is compared with another machine's: a member is dead when its count has stood still for a lease by the clock of
 * whoever looks, and it stops earlier by its own.
 */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #memberId = randomUUID();
  #beat = 0;
  readonly #budgets: ReadonlyMap<string, Budget>;
  #known: Versioned | undefined;
  #changes: Change[] = [];
  #leasedUntilMs = -Infinity;
  #syncedMs = -Infinity;
  readonly #seen = new Map<string, { readonly beat: number; readonly sinceMs: number }>();
  #isFirst = true;
  #isLeaving = false;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #wanted = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PacerOptions) {
    this.#options = options;
    const budgets = Object.entries(options.limits).map(([route, limits]) => {
      const owner = {
        id: this.#memberId,
        isLeased: () => performance.now() < this.#leasedUntilMs,
        change: (change: (before: RouteState) => RouteState) => this.#change(route, change),
      };
      return [route, new Budget(limits, options.caps[route] ?? Infinity, owner)] as const;
    });
    this.#budgets = new Map(budgets);
  }

  budget(route: string): Budget {
    const budget = this.#budgets.get(route);
    if (budget === undefined) throw new Error(`there is no route ${route}`);
    return budget;
  }

  /** Joins, and renews from then on; tries until that succeeds. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#sync(), RENEW_MS);
    await this.#sync();
  }

  get isIdle(): boolean {
    return [...this.#budgets.values()].every((budget) => budget.inUse === 0);
  }

  /** Begins nothing any more, and leaves to the others at once all in which nothing runs. */
  async drain(): Promise<void> {
    this.#isLeaving = true;
    for (const budget of this.#budgets.values()) budget.drain();
    await this.#syncSoon();
  }

  /** Leaves the share to the others at once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    this.#leasedUntilMs = -Infinity;
    await this.#syncSoon();
  }

  async #change(route: string, change: (before: RouteState) => RouteState): Promise<void> {
    this.#changes.push((state) => ({
      ...state,
      routes: { ...state.routes, [route]: change(state.routes[route] ?? QUIET_ROUTE) },
    }));
    await this.#syncSoon();
  }

  /** Returns when that is done, or takes too long: it goes on then. */
  async #syncSoon(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([this.#sync(), tooLong]);
    clearTimeout(timer);
  }

  /** One at a time; who asks while one is under way gets the next. */
  #sync(): Promise<void> {
    this.#wanted += 1;
    this.#running ??= this.#syncAsWanted().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #syncAsWanted(): Promise<void> {
    for (let done = 0; done !== this.#wanted;) {
      done = this.#wanted;
      await this.#syncOnce().catch(this.#options.onError);
    }
  }

  async #syncOnce(): Promise<void> {
    const { store, id } = this.#options;
    const begunMs = performance.now();
    // Nobody could be seen meanwhile: their leases are counted anew. What was known may be of another document.
    if (begunMs - this.#syncedMs > 3 * RENEW_MS) {
      this.#seen.clear();
      this.#known = undefined;
    }
    for (;;) {
      const found = this.#known ?? (await store.read(id));
      const before = found?.state ?? NOBODY;
      const changes = [...this.#changes];
      const renewed = this.#renewed(changes.reduce((state, change) => change(state), before));
      const after = this.#isMember() ? renewed : left(renewed, this.#memberId);
      const version = found?.version ?? 0;
      this.#known = undefined;
      // What is given back may be another's as soon as it is written.
      if (this.#isMember()) this.#eachBudget(after, (budget, { usable }) => budget.limitTo(usable));
      if (!(await this.#write(version, after))) continue;
      // Others have changed it by the next time: a write of what was known then would be in vain.
      if (after.members.length <= 1) this.#known = { version: version + 1, state: after };
      this.#changes = this.#changes.slice(changes.length);
      this.#syncedMs = performance.now();
      this.#forgetOthersThan(after);
      if (!this.#isMember()) return;
      this.#leasedUntilMs = begunMs + LEASE_MS - MARGIN_MS;
      // What was learned meanwhile is not forgotten until it is written as well.
      this.#adopt(
        before,
        this.#changes.reduce((state, change) => change(state), after),
      );
      return;
    }
  }

  async #write(version: number, state: PacingState): Promise<boolean> {
    const { store, id } = this.#options;
    // Sites come and go.
    if (isForgettable(state, Date.now())) return version === 0 || store.remove(id, version);
    return store.replace(id, version, state);
  }

  #isMember(): boolean {
    return !this.#isStopped;
  }

  #renewed(state: PacingState): PacingState {
    const uses = [...this.#budgets].map(
      ([route, { inUse, running, dueMs }]) => [route, { inUse, running, dueMs }] as const,
    );
    this.#beat += 1;
    return renewed(state, {
      id: this.#memberId,
      beat: this.#beat,
      isLeaving: this.#isLeaving,
      limits: this.#options.limits,
      uses: Object.fromEntries(uses),
      dead: this.#deadIn(state),
    });
  }

  #deadIn({ members }: PacingState): ReadonlySet<string> {
    const nowMs = performance.now();
    const dead = new Set<string>();
    for (const { id, beat } of members) {
      if (id === this.#memberId) continue;
      const seen = this.#seen.get(id);
      if (seen?.beat !== beat) this.#seen.set(id, { beat, sinceMs: nowMs });
      else if (nowMs - seen.sinceMs >= LEASE_MS) dead.add(id);
    }
    return dead;
  }

  #adopt(before: PacingState, now: PacingState): void {
    const index = now.members.findIndex(({ id }) => id === this.#memberId);
    const isAlone = this.#isFirst && before.members.length === 0;
    this.#isFirst = false;
    this.#eachBudget(now, (budget, places, route) => {
      const isFresh = isAlone && (before.routes[route]?.dueMs ?? 0) <= Date.now();
      budget.adopt(now.routes[route] ?? QUIET_ROUTE, places, { isFresh, index });
    });
  }

  #eachBudget(state: PacingState, act: (budget: Budget, places: Places, route: string) => void): void {
    for (const [route, { maxAtOnce }] of Object.entries(this.#options.limits))
      act(this.budget(route), placesOf(state, { id: this.#memberId, route, maxAtOnce }), route);
  }

  #forgetOthersThan({ members }: PacingState): void {
    for (const id of this.#seen.keys()) if (!members.some((member) => member.id === id)) this.#seen.delete(id);
  }
}
