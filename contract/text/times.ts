/** @returns ISO 8601 UTC with microseconds; stored as a string, because a BSON date has milliseconds only */
export function formatMicroseconds(epochMicroseconds: number): string {
  const milliseconds = Math.floor(epochMicroseconds / 1000);
  const rest = Math.floor(epochMicroseconds - milliseconds * 1000);
  return new Date(milliseconds).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** @param time ISO 8601; a date without time stands for its midnight in UTC */
export function microsecondsOf(time: string): string {
  return formatMicroseconds(Date.parse(time) * 1000);
}

/** @returns `HH:MM:SS`, rounded to the nearest second; hours may have more than two digits */
export function formatDuration(durationSeconds: number): string {
  const total = Math.round(durationSeconds);
  return [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** @returns a decimal string with at most three decimals and no trailing zeros: `1.36`, `0`, `3600.5` */
export function formatSeconds(seconds: number): string {
  return String(Math.max(0, toMilliseconds(seconds)));
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
