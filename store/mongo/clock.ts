import { formatMicroseconds } from '../../contract/text/times.ts';

/** The system clock counts as adjusted when it differs more than this from the monotonic clock. */
const ADJUSTED_MS = 1_000;
let offsetMs = 0;

/** @returns the current time for records. The monotonic clock provides the digits below milliseconds. */
export function nowMicroseconds(): string {
  const steadyMs = performance.timeOrigin + performance.now();
  if (Math.abs(Date.now() - steadyMs - offsetMs) > ADJUSTED_MS) offsetMs = Date.now() - steadyMs;
  return formatMicroseconds((steadyMs + offsetMs) * 1000);
}
