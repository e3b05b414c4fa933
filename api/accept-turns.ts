import { ApiError } from '../contract/errors.ts';

export interface AcceptTurnsOptions {
  /** Requests that are worked on at a time. */
  readonly atOnce: number;
  /** Who has waited so long, in milliseconds, is worked on beside them. */
  readonly lateAfterMs: number;
  /** So many late ones at a time. */
  readonly moreAtOnce: number;
  /** Who has waited so long, in milliseconds, is told to come again. */
  readonly maxWaitMs: number;
  /** How long a request takes until the next one has its turn, in milliseconds. */
  readonly msEach: number;
  /** A job of a burst is begun no sooner than so long, in milliseconds, after it was accepted: more may be about to come. */
  readonly minStartDelayMs: number;
  /** No job is begun later than so long, in milliseconds, after it was accepted. */
  readonly maxStartDelayMs: number;
}

/**
 * More at once would not be accepted sooner: they keep the engines busy, and each other waiting. Two cores that have the engines
 * too accept 100 to 150 a second; with jobs that begin at once, half as many.
 */
export const ACCEPT_TURNS: AcceptTurnsOptions = {
  ...{ atOnce: 16, lateAfterMs: 5_000, moreAtOnce: 64, maxWaitMs: 30_000 },
  ...{ msEach: 10, minStartDelayMs: 250, maxStartDelayMs: 5_000 },
};

export interface AcceptTurn {
  /** Waits for something without a turn, and takes another one then. */
  readonly aside: (wait: () => Promise<void>) => Promise<void>;
  /**
   * How long the job may be left alone, in milliseconds: until those that wait are accepted. Its first steps would cost the
   * engines as much as accepting, and it would wait for its turn at the platform anyway. Who comes later begins no sooner.
   */
  readonly startDelayMs: () => number;
}

export type AcceptTurns = ReturnType<typeof createAcceptTurns>;

interface Waiter {
  isLate: boolean;
  readonly begin: () => void;
}

/**
 * Requests for jobs are accepted in the order in which they came, a few at a time: of a burst the first are answered at once,
 * and not all at the end. When one has waited too long, more are worked on at a time: engines that hang must hold up nobody for
 * long. They are not all of them, or a burst would be what keeps the engines hanging.
 */
export function createAcceptTurns(options: AcceptTurnsOptions) {
  const { atOnce, lateAfterMs, moreAtOnce, maxWaitMs, msEach, minStartDelayMs, maxStartDelayMs } = options;
  const waiting = new Set<Waiter>();
  let taken = 0;
  let lastBeginsAtMs = 0;
  const behindMs = (): number => {
    if (waiting.size === 0) return 0;
    return Math.min(Math.max(waiting.size * msEach, minStartDelayMs), maxStartDelayMs);
  };
  const startDelayMs = (): number => {
    const now = performance.now();
    lastBeginsAtMs = Math.max(lastBeginsAtMs, now + behindMs());
    return Math.ceil(lastBeginsAtMs - now);
  };
  const handOut = (): void => {
    for (const waiter of waiting) {
      if (taken >= (waiter.isLate ? atOnce + moreAtOnce : atOnce)) return;
      taken += 1;
      waiting.delete(waiter);
      waiter.begin();
    }
  };
  const take = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiter.isLate = true;
        handOut();
      }, lateAfterMs);
      const tooLate = setTimeout(() => {
        waiting.delete(waiter);
        const message = 'Too many requests for jobs came at once. Try again soon.';
        reject(new ApiError('unavailable', message, { retryAfterSeconds: 5 }));
      }, maxWaitMs);
      const begin = (): void => {
        clearTimeout(late);
        clearTimeout(tooLate);
        resolve();
      };
      const waiter: Waiter = { isLate: false, begin };
      waiting.add(waiter);
      handOut();
    });
  const giveBack = (): void => {
    taken -= 1;
    handOut();
  };
  return {
    /** @throws ApiError `unavailable` for who has waited too long; what the work throws */
    async inTurn<Result>(work: (turn: AcceptTurn) => Promise<Result>): Promise<Result> {
      await take();
      const turn = { isHeld: true };
      const aside: AcceptTurn['aside'] = async (wait) => {
        turn.isHeld = false;
        giveBack();
        await wait();
        await take();
        turn.isHeld = true;
      };
      try {
        return await work({ aside, startDelayMs });
      } finally {
        if (turn.isHeld) giveBack();
      }
    },
  };
}
