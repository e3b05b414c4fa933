import { vi } from 'vitest';
import type { RouteLimits } from '../../runtime/pacing.ts';
import { pacingIdOf, type PacingStore } from '../../runtime/shares.ts';
import type { Budget } from '../../worker/pacing/budget.ts';
import { Pacer } from '../../worker/pacing/pacer.ts';
import type { Use, UseEnd } from '../../worker/pacing/uses.ts';
import { memoryPacing } from './memory-pacing.ts';

export const LIMITS: RouteLimits = { maxAtOnce: 4, startsPerMinute: 60, firstPauseSeconds: 15, maxPauseSeconds: 900 };
export const ANSWERED: UseEnd = { kind: 'answered' };

/** By faked timers. */
export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

interface Running {
  readonly end: (how?: UseEnd) => Promise<void>;
}

/** A worker with more to do than it may: it begins whatever it can. */
export class BusyWorker {
  readonly pacer: Pacer;
  readonly budget: Budget;
  readonly running: Running[] = [];
  /** When each use began. */
  readonly begunMs: number[] = [];
  turnedAway = 0;
  /** As if it had been killed, for all others. */
  isCutOff = false;
  /** Places are asked for, and no task comes in them. */
  isQueueEmpty = false;
  readonly #polls: (() => void)[] = [];
  readonly #asking = new AbortController();

  constructor(store: PacingStore, limits: RouteLimits, cap?: number) {
    const caps: Record<string, number> = cap === undefined ? {} : { page: cap };
    const unlessCutOff = <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      return (...args: Args) => (this.isCutOff ? Promise.reject(new Error('cut off')) : call(...args));
    };
    const reached: PacingStore = {
      ids: unlessCutOff(() => store.ids()),
      read: unlessCutOff((id: string) => store.read(id)),
      replace: unlessCutOff((...args: Parameters<PacingStore['replace']>) => store.replace(...args)),
      remove: unlessCutOff((...args: Parameters<PacingStore['remove']>) => store.remove(...args)),
    };
    this.pacer = new Pacer({
      store: reached,
      id: pacingIdOf('q'),
      limits: { page: limits },
      caps,
      onError: () => undefined,
    });
    this.budget = this.pacer.budget('page');
  }

  async start(): Promise<this> {
    await this.pacer.start();
    void this.#work();
    await pass(0);
    return this;
  }

  async stop(): Promise<void> {
    this.#asking.abort();
    await this.pacer.stop();
  }

  /** Tasks come to those who ask. */
  async fillQueue(): Promise<void> {
    this.isQueueEmpty = false;
    for (const poll of this.#polls.splice(0)) poll();
    await pass(0);
  }

  /** A task comes that is refused before it begins, as one of an unknown name is. */
  async takeUnfit(): Promise<void> {
    if (this.#polls.shift() === undefined) throw new Error('nobody asks for a task');
    this.budget.markUsed();
    this.budget.release(true);
    await pass(0);
  }

  #isOver(): boolean {
    return this.#asking.signal.aborted;
  }

  async #work(): Promise<void> {
    while (!this.#isOver()) {
      await this.budget.reserve(this.#asking.signal).catch(() => undefined);
      if (this.#isOver()) return;
      if (this.isQueueEmpty) this.#polls.push(() => this.#take());
      else this.#take();
    }
  }

  #take(): void {
    this.budget.markUsed();
    const use = this.budget.enter();
    if ('end' in use) this.#begin(use);
    else {
      this.turnedAway += 1;
      this.budget.release(true);
    }
  }

  #begin(use: Use): void {
    const running: Running = {
      end: async (how = ANSWERED) => {
        this.running.splice(this.running.indexOf(running), 1);
        await use.end(how);
        this.budget.release(true);
        await pass(0);
      },
    };
    this.running.push(running);
    this.begunMs.push(Date.now());
  }
}

export const workerWith = (limits: Partial<RouteLimits> = {}, store = memoryPacing()): Promise<BusyWorker> =>
  new BusyWorker(store, { ...LIMITS, ...limits }).start();
