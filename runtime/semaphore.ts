/** Too many were before. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

export interface Semaphore {
  /** @throws BusyError for whoever would wait too long for a permit */
  withPermit<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Lets a few at a time do something that is costly; the others wait, first come, first served. */
export function createSemaphore(permits: number, maxWaitMs: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = permits;
  const acquire = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const take = (): void => {
        clearTimeout(timer);
        waiting.delete(take);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(new BusyError(`no permit within ${String(maxWaitMs)} ms, ${String(waiting.size)} wait for the same`));
      }, maxWaitMs);
      waiting.add(take);
    });
  return {
    async withPermit(work) {
      if (free > 0) free -= 1;
      else await acquire();
      try {
        return await work();
      } finally {
        const [next] = waiting;
        // Handed over, so that nobody who comes in between takes it.
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
