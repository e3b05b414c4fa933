import { QUEUED, type RouteLimits } from '../../runtime/pacing.ts';
import { probedBy, QUIET_ROUTE, refused, reopened, withoutProbeBy, type RouteState } from '../../runtime/pauses.ts';
import type { Places } from '../../runtime/shares.ts';
import { PromisedTurns } from './promised-turns.ts';
import { Probe, type RunningProbe } from './probe.ts';
import { pausedBy, type BudgetOwner, type NotNow, type Use } from './uses.ts';
import { WaitingLine } from './waiting-line.ts';

/** Places that are held while their polls bring nothing: a pause turns away as many tasks of each worker. */
const MAX_POLLS = 2;
/** What a use takes as long as nothing is known. */
const GUESSED_USE_MS = 5_000;

/** A worker's own part of a route: its places, its starts, and its view of the breaker. */
export class Budget {
  readonly #limits: RouteLimits;
  readonly #cap: number;
  readonly #owner: BudgetOwner;
  readonly #waiting = new WaitingLine();
  #places = 0;
  #held = 0;
  #reserved = 0;
  #running = 0;
  #dueMs = 0;
  #route = QUIET_ROUTE;
  readonly #probe = new Probe();
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;
  readonly #promised = new PromisedTurns();

  /** @param cap most places that are used, if that is less than the share */
  constructor(limits: RouteLimits, cap: number, owner: BudgetOwner) {
    this.#limits = limits;
    this.#cap = cap;
    this.#owner = owner;
  }

  get inUse(): number {
    return this.#reserved + this.#running;
  }

  get running(): number {
    return this.#running;
  }

  get dueMs(): number {
    return this.#dueMs;
  }

  get pause() {
    return this.#route.pause;
  }

  /**
   * Takes what the workers share as it is now.
   *
   * @param at.isFresh whether nobody has used the route lately, as far as can be known: only then may as many start together as
   * there are places
   * @param at.index of this worker among all
   */
  adopt(route: RouteState, places: Places, at: { readonly isFresh: boolean; readonly index: number }): void {
    const nowMs = Date.now();
    const hadPause = this.#route.pause !== undefined;
    const grown = places.usable - this.#places;
    this.#places = places.usable;
    this.#held = places.held;
    this.#route = route;
    // A place that comes later comes without a start: another worker may just have used it.
    if (grown > 0) this.#dueMs = at.isFresh ? nowMs : Math.max(this.#dueMs, nowMs) + grown * this.#spacingMs;
    if (hadPause && route.pause === undefined) this.#startOneByOne(nowMs, at.index);
    this.#probe.adopt(route.pause?.probe?.by === this.#owner.id, nowMs);
    if (this.#probe.isTrusted(nowMs)) void this.#change((before) => reopened(before, nowMs));
    if (this.#probe.isIdle(nowMs) || (this.#isDraining && this.#probe.isReady)) this.#giveProbeBack();
    this.#pump();
  }

  /** Takes back places at once; more of them come by {@link adopt}. */
  limitTo(places: number): void {
    this.#places = Math.min(this.#places, places);
  }

  /** Begins nothing any more; what runs goes on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Resolves when a use may begin: the caller has a place then, which it gives back by {@link release}. */
  reserve(signal: AbortSignal): Promise<void> {
    const taken = this.#waiting.join(signal);
    this.#pump();
    return taken;
  }

  /** What was reserved is used now. */
  markUsed(): void {
    this.#reserved -= 1;
    this.#running += 1;
    this.#dueMs = Math.max(this.#dueMs, Date.now()) + this.#spacingMs;
    this.#pump();
  }

  release(wasUsed: boolean): void {
    if (wasUsed) this.#running -= 1;
    else this.#reserved -= 1;
    // No poll is left that could bring the probe: its task did not come, or was refused before it began.
    if (this.#reserved === 0) this.#probe.endOffer();
    this.#pump();
  }

  /** Begins a use in a place that is taken. @returns why not, when the pause or the end of the lease came first */
  enter(): Use | NotNow {
    const { pause } = this.#route;
    const nowMs = Date.now();
    // Or it had lost or left it, and others use by now what it had taken.
    if (this.#isDraining || !this.#owner.isLeased() || this.#running > this.#held)
      return { reason: 'The worker has lost its share.', atMs: nowMs };
    if (pause === undefined) return this.#begin(undefined);
    if (!this.#probe.isReady) return pausedBy(pause);
    return this.#begin(this.#probe.run(nowMs));
  }

  /** A use beside the places: only its refusal is news. */
  watch(): Use {
    const { end } = this.#begin(undefined);
    return { end: (how) => (how.kind === 'refused' ? end(how) : Promise.resolve()) };
  }

  /** Takes a place and begins, where one is free and a start is due. */
  async tryEnter(): Promise<{ readonly use: Use; readonly release: () => void } | NotNow> {
    await this.#claimProbe();
    const notNow = this.#notNow();
    if (notNow !== undefined) return { ...notNow, atMs: this.#promise(notNow.atMs) };
    this.#take();
    this.markUsed();
    const use = this.enter();
    if ('end' in use) return { use, release: () => this.release(true) };
    this.release(true);
    return use;
  }

  #begin(probe: RunningProbe | undefined): Use {
    const pausesBefore = this.#route.pauses;
    return {
      end: async (how) => {
        const nowMs = Date.now();
        const isProbe = this.#probe.endRun(probe);
        if (how.kind === 'refused') {
          const at = { limits: this.#limits, nowMs, pausesBefore, isProbe };
          await this.#change((route) => refused(route, how.refusal, at));
        } else if (isProbe) {
          await this.#change((route) =>
            how.kind === 'answered' ? reopened(route, nowMs) : withoutProbeBy(route, this.#owner.id),
          );
        }
      },
    };
  }

  /** Here at once, and for all as soon as the database takes it. */
  async #change(change: (route: RouteState) => RouteState): Promise<void> {
    const hadPause = this.#route.pause !== undefined;
    this.#route = change(this.#route);
    if (hadPause && this.#route.pause === undefined) this.#startOneByOne(Date.now(), 0);
    await this.#owner.change(change);
    this.#pump();
  }

  /** After a pause one starts after the other, not all that may run at once: the platform refuses easily then. */
  #startOneByOne(nowMs: number, index: number): void {
    const evenMs = nowMs + Math.max(0, this.#places - 1) * this.#spacingMs + index * this.#globalSpacingMs;
    if (this.#places > 0) this.#dueMs = Math.max(this.#dueMs, evenMs);
  }

  #pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (!this.#waiting.isEmpty) {
      const notNow = this.#notNow();
      if (notNow !== undefined) {
        if (this.#isProbeFree(Date.now())) void this.#claimProbe();
        else if (notNow.atMs > Date.now()) this.#wakeAt(notNow.atMs);
        return;
      }
      this.#take();
      this.#waiting.takeFirst();
    }
  }

  #wakeAt(ms: number): void {
    this.#timer = setTimeout(() => this.#pump(), Math.min(60_000, Math.max(1, ms - Date.now())));
    this.#timer.unref();
  }

  #take(): void {
    this.#reserved += 1;
    this.#probe.offer();
  }

  /** @returns why no place can be taken, with the time at which that may change; a past time when only an event changes it */
  #notNow(): NotNow | undefined {
    const nowMs = Date.now();
    const { pause } = this.#route;
    const none = { reason: QUEUED, atMs: 0 };
    if (pause !== undefined && !this.#probe.isHeld) return pausedBy(pause);
    if (this.#reserved >= MAX_POLLS || !this.#owner.isLeased() || this.inUse >= Math.min(this.#places, this.#cap))
      return none;
    if (pause !== undefined) return undefined;
    // As many as may run at once may also start together.
    const startMs = this.#dueMs + (this.#reserved - (this.#places - 1)) * this.#spacingMs;
    return startMs > nowMs ? { ...none, atMs: startMs } : undefined;
  }

  #isProbeFree(nowMs: number): boolean {
    const { pause } = this.#route;
    const isFree = pause !== undefined && pause.probe === undefined && nowMs >= pause.untilMs;
    // A poll that goes on may bring its task.
    const hasRoom = this.#reserved > 0 || this.inUse < Math.min(this.#places, this.#cap);
    return isFree && this.#probe.mayClaim(nowMs) && this.#owner.isLeased() && hasRoom;
  }

  async #claimProbe(): Promise<void> {
    if (!this.#isProbeFree(Date.now())) return;
    this.#probe.claim();
    await this.#owner.change((route) => probedBy(route, this.#owner.id, Date.now()));
    this.#probe.endClaim();
  }

  #giveProbeBack(): void {
    this.#probe.rest(Date.now());
    void this.#change((route) => withoutProbeBy(route, this.#owner.id));
  }

  #promise(atMs: number): number {
    const eachMs = Math.max(this.#places > 0 ? this.#spacingMs : 0, GUESSED_USE_MS / Math.max(1, this.#places));
    return this.#promised.next(atMs, eachMs);
  }

  get #globalSpacingMs(): number {
    return 60_000 / this.#limits.startsPerMinute;
  }

  /** Starts are shared like places. */
  get #spacingMs(): number {
    return (this.#globalSpacingMs * this.#limits.maxAtOnce) / Math.max(1, this.#places);
  }
}
