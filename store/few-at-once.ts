/** Too many were before. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

export type FewAtOnce = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Lets a few at a time do something that is costly; the others wait, first come, first served.
 *
 * @param maxWaitMs whoever waits longer gets {@link BusyError}
 */
export function createFewAtOnce(atOnce: number, maxWaitMs: number): FewAtOnce {
  const waiting = new Set<() => void>();
  let running = 0;
  const ourTurn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(new BusyError(`no turn within ${String(maxWaitMs)} ms, ${String(waiting.size)} wait for the same`));
      }, maxWaitMs);
      waiting.add(go);
    });
  return async (work) => {
    if (running < atOnce) running += 1;
    // Whoever ends hands over the place, so nobody who comes in between takes it.
    else await ourTurn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
