import { describe, expect, it } from 'vitest';
import { quotaResetAfter } from '../../sources/vidnet/data-api/quota-reset.ts';
import { retryAfterMs } from '../../sources/vidnet/data-api/retry-after.ts';

describe('a spent quota is full again at the next Pacific midnight', () => {
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

  it('always within 25 hours and never in the past', () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    for (let hour = 0; hour < 366 * 24; hour += 1) {
      const now = start + hour * 3_600_000 + 12_345;
      const waitMs = quotaResetAfter(now) - now;
      expect(waitMs > 0 && waitMs <= 25 * 3_600_000).toBe(true);
    }
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-05-04T10:00:00Z');
  it.each([
    ['seconds', '120', now + 120_000],
    ['a date', 'Mon, 04 May 2026 10:05:00 GMT', now + 300_000],
    ['more than a day', '9999999', now + 86_400_000],
    ['a date that has passed', 'Mon, 04 May 2026 09:00:00 GMT', undefined],
    ['no wait', '0', undefined],
    ['nonsense', 'soon', undefined],
    ['a negative number', '-5', undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_what, header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
