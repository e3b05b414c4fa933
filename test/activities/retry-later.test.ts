import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { retryLater } from '../../activities/retry-later.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const MINUTE_MS = 60_000;

afterEach(() => void vi.useRealTimers());

/** What Temporal is asked to wait for after an attempt, in seconds. */
const waitAfter = async (attempt: number, retryAtMs?: number): Promise<number> => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
  const poll = (): Promise<ApplicationFailure> =>
    Promise.resolve(retryLater('upstream_timeout', 'It is still collecting.', retryAtMs));
  const { nextRetryDelay, details } = await new MockActivityEnvironment({ attempt }).run<
    [],
    ApplicationFailure,
    typeof poll
  >(poll);
  // What the job fails with that has waited too long.
  expect(details).toEqual(['upstream_timeout']);
  return Number(nextRetryDelay) / 1000;
};

it.each([
  ['after its usual wait', 60, 1, NOW_MS + MINUTE_MS],
  ['before its usual wait is over', 30, 6, NOW_MS + 1_000],
  ['before its first usual wait is over', 2, 1, NOW_MS + 1_000],
  ['in the past', 30, 6, NOW_MS - MINUTE_MS],
  ['almost ten minutes away', 599, 1, NOW_MS + 10 * MINUTE_MS - 1_000],
  ['more than ten minutes away', 600, 1, NOW_MS + 10 * MINUTE_MS + 1_000],
])('a poll that was told a time %s waits for %i s', async (_when, seconds, attempt, retryAtMs) => {
  expect(await waitAfter(attempt, retryAtMs)).toBe(seconds);
});

it('a poll that was told no time waits longer after each attempt, up to half a minute', async () => {
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) waits.push(await waitAfter(attempt));
  expect(waits).toEqual([2, 3, 5, 10, 15, 30, 30]);
});
