const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.4 MB` */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

/** `3:07`, `1:02:03` */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => String(part).padStart(index === 0 ? 1 : 2, '0')).join(':');
}

export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${String(whole)} s`;
  if (whole < 3600) return `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
  return `${String(Math.floor(whole / 3600))} h ${String(Math.floor(whole / 60) % 60)} min`;
}

/** Formats a price of the service, such as `0.005`, or `free`. */
export function priceText(amount: string): string {
  return Number(amount) === 0 ? 'free' : amount;
}

const numbers = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1,234` */
export const countText = (count: number): string => numbers.format(count);

/** `1.2K` */
export const shortCount = (count: number): string => short.format(count);

/** Parses a time. Times of the video platform have no zone and are in UTC. */
export function millisecondsOf(time: string): number {
  return Date.parse(/^\d{4}-\d\d-\d\d \d/.test(time) ? `${time.replace(' ', 'T')}Z` : time);
}

/** Parses a time that may be missing or invalid. */
export function knownMilliseconds(time: string | null): number | null {
  const at = time === null ? NaN : millisecondsOf(time);
  return Number.isNaN(at) ? null : at;
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function dateText(time: string, format = dates): string {
  const at = millisecondsOf(time);
  return Number.isNaN(at) ? time : format.format(at);
}

export function momentText(time: string): string {
  return dateText(time, moments);
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Formats a time such as `3 minutes ago` or `in 2 hours`; older times are shown as a date. */
export function agoText(time: string, nowMs: number): string {
  const seconds = (millisecondsOf(time) - nowMs) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return dateText(time);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return 'just now';
}

export function secondsOfClock(text: string): number {
  return text.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}
