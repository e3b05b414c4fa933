import { formatMicroseconds } from '../../contract/text/times.ts';

/** By how much the system clock may differ from the monotonic one before it counts as set. */
const SET_MS = 1_000;
let offsetMs = 0;

/** The current time for records. The monotonic clock gives the digits below milliseconds; it is adjusted when the system clock is set. */
export function nowMicroseconds(): string {
  const steadyMs = performance.timeOrigin + performance.now();
  if (Math.abs(Date.now() - steadyMs - offsetMs) > SET_MS) offsetMs = Date.now() - steadyMs;
  return formatMicroseconds((steadyMs + offsetMs) * 1000);
}
