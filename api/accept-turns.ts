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
}

/** More would not be accepted sooner: they keep the engines busy, and each other waiting. */
export const ACCEPT_TURNS: AcceptTurnsOptions = { atOnce: 8, lateAfterMs: 5_000, moreAtOnce: 64, maxWaitMs: 30_000 };

/** Waits for something without a turn, and takes another one then. */
export type Aside = (wait: () => Promise<void>) => Promise<void>;

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
export function createAcceptTurns({ atOnce, lateAfterMs, moreAtOnce, maxWaitMs }: AcceptTurnsOptions) {
  const waiting = new Set<Waiter>();
  let taken = 0;
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
    async inTurn<Result>(work: (aside: Aside) => Promise<Result>): Promise<Result> {
      await take();
      const turn = { isHeld: true };
      const aside: Aside = async (wait) => {
        turn.isHeld = false;
        giveBack();
        await wait();
        await take();
        turn.isHeld = true;
      };
      try {
        return await work(aside);
      } finally {
        if (turn.isHeld) giveBack();
      }
    },
  };
}
