export type Shares = ReturnType<typeof createShares>;

/**
 * Divides the slots of a worker among sites and callers: a site may have half of them, and a caller all but one, so that no
 * caller with slow files holds up everybody.
 *
 * @returns a function that takes a slot, and returns one that gives it back; undefined when a share is used up
 */
export function createShares(slots: number) {
  const used = new Map<string, number>();
  const count = (key: string): number => used.get(key) ?? 0;
  return (site: string, caller: string): (() => void) | undefined => {
    const shares = [[site, Math.floor(slots / 2)] as const, [`caller/${caller}`, slots - 1] as const];
    if (shares.some(([key, limit]) => count(key) >= Math.max(1, limit))) return undefined;
    for (const [key] of shares) used.set(key, count(key) + 1);
    return () => {
      for (const [key] of shares) {
        if (count(key) > 1) used.set(key, count(key) - 1);
        else used.delete(key);
      }
    };
  };
}
