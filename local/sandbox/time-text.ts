const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "3 weeks ago": all that a page of the platform tells of a time. */
export function timeText(then: Date, now: Date = new Date()): string {
  const seconds = Math.max(1, Math.floor((now.getTime() - then.getTime()) / 1000));
  for (const [unit, length] of UNITS) {
    const amount = Math.floor(seconds / length);
    if (amount >= 1) return `${String(amount)} ${unit}${amount === 1 ? '' : 's'} ago`;
  }
  return 'now';
}
