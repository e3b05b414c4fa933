/** A beginning further in the future than the period is long was written by a wrong clock, so the period has ended. */
export function isWithin(beganMs: number, lastsMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - beganMs) < lastsMs;
}
