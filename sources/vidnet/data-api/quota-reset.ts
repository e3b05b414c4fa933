const PACIFIC = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
});

/** Daily quotas are renewed at midnight, Pacific time: https://developers.google.com/youtube/v3/determine_quota_cost */
export function quotaResetAfter(nowMs: number): number {
  const local = new Date(pacificClockMs(nowMs));
  const midnight = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + 1);
  // The current offset is wrong if the clocks change before midnight. They never change at midnight.
  const aboutThen = midnight - offsetMs(nowMs);
  return midnight - offsetMs(aboutThen);
}

function offsetMs(atMs: number): number {
  return pacificClockMs(atMs) - Math.floor(atMs / 1000) * 1000;
}

/** The local time as if it were UTC, in whole seconds. */
function pacificClockMs(atMs: number): number {
  const parts = new Map(PACIFIC.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}
