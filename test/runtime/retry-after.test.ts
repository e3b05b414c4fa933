import { describe, expect, it } from 'vitest';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';

describe('the time that a Retry-After header names', () => {
  const nowMs = Date.parse('2026-05-04T10:00:00Z');
  it.each([
    ['seconds', '120', nowMs + 120_000],
    ['seconds with blanks', ' 120 ', nowMs + 120_000],
    ['a date', 'Mon, 04 May 2026 10:05:00 GMT', nowMs + 300_000],
    ['more than a day', '9999999', nowMs + 86_400_000],
    ['a date that has passed', 'Mon, 04 May 2026 09:00:00 GMT', undefined],
    ['no wait, with blanks', ' 0 ', undefined],
    ['more seconds than anybody means', '99999999', undefined],
    ['nonsense', 'soon', undefined],
    ['a negative number', '-5', undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_what, header, expected) => {
    expect(retryAfterAtMs(header, nowMs)).toBe(expected);
  });
});
