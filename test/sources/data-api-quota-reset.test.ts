import { describe, expect, it } from 'vitest';
import { quotaResetAfter } from '../../sources/vidnet/data-api/data-api-failures.ts';

describe('a daily quota is renewed at the next Pacific midnight', () => {
  it.each([
    ['in winter', '2026-01-15T12:00:00Z', '2026-01-16T08:00:00Z'],
    ['in summer', '2026-07-15T12:00:00Z', '2026-07-16T07:00:00Z'],
    ['while it is still the day before in California', '2026-07-16T06:59:59.999Z', '2026-07-16T07:00:00Z'],
    ['at midnight itself, a day later', '2026-07-16T07:00:00Z', '2026-07-17T07:00:00Z'],
    ['before the day on which clocks go forward', '2026-03-07T20:00:00Z', '2026-03-08T08:00:00Z'],
    ['on that day, before they do (23 hours)', '2026-03-08T08:30:00Z', '2026-03-09T07:00:00Z'],
    ['on that day, after they did', '2026-03-08T20:00:00Z', '2026-03-09T07:00:00Z'],
    ['before the day on which clocks go back', '2026-10-31T20:00:00Z', '2026-11-01T07:00:00Z'],
    ['on that day, before they do (25 hours)', '2026-11-01T07:30:00Z', '2026-11-02T08:00:00Z'],
    ['on that day, in the hour that comes twice', '2026-11-01T09:30:00Z', '2026-11-02T08:00:00Z'],
    ['at the end of a year', '2026-12-31T23:00:00Z', '2027-01-01T08:00:00Z'],
    ['on the day before a leap day', '2028-02-28T20:00:00Z', '2028-02-29T08:00:00Z'],
  ])('%s', (_when, now, expected) => {
    expect(new Date(quotaResetAfter(Date.parse(now))).toISOString()).toBe(new Date(expected).toISOString());
  });

  it('within 25 hours and never in the past', () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    for (let hour = 0; hour < 366 * 24; hour += 1) {
      const now = start + hour * 3_600_000 + 12_345;
      const waitMs = quotaResetAfter(now) - now;
      expect(waitMs > 0 && waitMs <= 25 * 3_600_000).toBe(true);
    }
  });
});
