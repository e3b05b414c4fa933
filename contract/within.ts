/**
 * Whether a period that began at a stored time has not ended. A beginning further in the future than the period is long was written
 * by a wrong clock, so the period counts as ended: otherwise it might last for years.
 */
export function isWithin(beganMs: number, lastsMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - beganMs) < lastsMs;
}
