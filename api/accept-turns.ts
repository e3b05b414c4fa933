import { BusyError, createSemaphore } from '../runtime/semaphore.ts';

export interface AcceptTurnsOptions {
  /** Requests that are worked on at a time. */
  readonly atOnce: number;
  readonly maxWaitMs: number;
}

/** More would not be accepted sooner: they keep the engines busy, and each other waiting. */
export const ACCEPT_TURNS: AcceptTurnsOptions = { atOnce: 8, maxWaitMs: 5_000 };

export type AcceptTurns = ReturnType<typeof createAcceptTurns>;

/**
 * Requests for jobs are accepted in the order in which they came, a few at a time: of a burst the first are answered at once,
 * and not all at the end. Whoever has waited too long goes on without a turn: engines that hang must hold up nobody for long.
 */
export function createAcceptTurns({ atOnce, maxWaitMs }: AcceptTurnsOptions) {
  const semaphore = createSemaphore(atOnce, maxWaitMs);
  return {
    async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      let begun: Promise<Result> | undefined;
      const begin = (): Promise<Result> => (begun ??= work());
      return semaphore.withPermit(begin).catch((error: unknown) => {
        if (error instanceof BusyError) return begin();
        throw error;
      });
    },
  };
}
