/** @returns a share from 0 to 1 as percent from 0 to 100 with one decimal; shares beyond that range are clamped */
export function percentOf(share: number): number {
  return Math.min(100, Math.max(0, Math.round(share * 1000) / 10));
}
