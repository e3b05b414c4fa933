import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import type * as workflow from '@temporalio/workflow';
import { expect, it, vi } from 'vitest';
import { createRetryWhenDiskFull } from '../../workflows/retry-when-disk-full.ts';

const waitsMs: number[] = [];
// Outside of a workflow nobody waits.
vi.mock('@temporalio/workflow', async (importOriginal) => ({
  ...(await importOriginal<typeof workflow>()),
  patched: () => true,
  sleep: (ms: number) => Promise.resolve(void waitsMs.push(ms)),
}));

it('half a day without space is the end, with that reason', async () => {
  const told = ApplicationFailure.create({ message: 'It is disk_full.', type: 'JobError', details: ['disk_full'] });
  const refused = new ActivityFailure('failed', 'fetchAudio', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', told);
  const work = vi.fn(() => Promise.reject(refused));
  const shown: unknown[] = [];
  await expect(createRetryWhenDiskFull((waiting) => shown.push(waiting))(work)).rejects.toBe(refused);
  const hours = waitsMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(12);
  expect(hours).toBeLessThan(12.1);
  expect(work).toHaveBeenCalledTimes(waitsMs.length + 1);
  expect(work.mock.calls.length).toBeLessThan(160);
  expect(shown.filter((waiting) => waiting !== undefined)).toHaveLength(waitsMs.length);
  expect(shown.at(-1)).toBeUndefined();
});
