/**
 * Whether a span that began at a stored time still lasts. A clock that is set back would make it last longer by that step, and a
 * time that was written by a wrong clock for years. So a beginning that lies further ahead than the span is long counts as over.
 *
 * @param beganMs milliseconds since 1970, as `nowMs`
 */
export function isWithin(beganMs: number, lastsMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - beganMs) < lastsMs;
}
