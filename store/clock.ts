import { formatMicroseconds } from '../contract/times.ts';

/** Now, as records tell time. The system clock gives milliseconds; the monotonic one the digits below. */
export function nowMicroseconds(): string {
  return formatMicroseconds((performance.timeOrigin + performance.now()) * 1000);
}
