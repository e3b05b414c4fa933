/** The time in which a moment lies, of equal times since 1970. @returns its begin, in milliseconds */
export function slotOf(ms: number, lengthMs: number): number {
  return Math.floor(ms / lengthMs) * lengthMs;
}

/** A time as the beginning of ids that sort by it. */
export function timeOf(ms: number): string {
  return String(ms).padStart(14, '0');
}
