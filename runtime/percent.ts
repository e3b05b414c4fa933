/** @returns percent with one decimal, 0 to 100, of a share from 0 to 1; shares of estimates may be beyond it */
export function percentOf(share: number): number {
  return Math.min(100, Math.max(0, Math.round(share * 1000) / 10));
}
