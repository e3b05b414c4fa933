/** Takes a slot for a key, up to the limit. @returns a function that gives it back; undefined when the share is used up */
type Take = (key: string, limit: number) => (() => void) | undefined;

/** Counts the activities of each site and of each caller that run in this process. */
function createCounter(): Take {
  const used = new Map<string, number>();
  return (key, limit) => {
    const count = used.get(key) ?? 0;
    if (count >= limit) return undefined;
    used.set(key, count + 1);
    return () => {
      const left = (used.get(key) ?? 1) - 1;
      if (left > 0) used.set(key, left);
      else used.delete(key);
    };
  };
}

export type Shares = ReturnType<typeof createShares>;

/**
 * Divides the slots of a worker among sites and callers: a site may have half of them, and a caller all but one, so that no
 * caller with slow files holds up everybody.
 */
export function createShares(slots: number) {
  const take = createCounter();
  const [ofSite, ofCaller] = [Math.max(1, Math.floor(slots / 2)), Math.max(1, slots - 1)];
  return (site: string, caller: string): (() => void) | undefined => {
    const leaveSite = take(site, ofSite);
    const leaveCaller = leaveSite && take(`caller/${caller}`, ofCaller);
    if (leaveSite === undefined || leaveCaller === undefined) {
      leaveSite?.();
      return undefined;
    }
    return () => {
      leaveSite();
      leaveCaller();
    };
  };
}
