export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Limits how many callers run at once. The others wait in the order of arrival. */
export function createSemaphore(permits: number, maxWaitMs: number) {
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
    /** @throws BusyError if no permit becomes free in time */
    async withPermit<Result>(work: () => Promise<Result>): Promise<Result> {
      if (free > 0) free -= 1;
      else await acquire();
      try {
        return await work();
      } finally {
        const [next] = waiting;
        // The permit goes to the next waiting caller directly, so that no later caller takes it first.
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
