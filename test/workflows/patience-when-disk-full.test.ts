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
  const waits = waitsMs.map((ms) => ms / 1000);
  expect(waits.slice(0, 4)).toEqual([10, 30, 60, 120]);
  // The least number of them that are half a day together: 143 would be 80 seconds short.
  expect(waits.slice(4)).toEqual(Array.from({ length: 144 }, () => 300));
  expect(work).toHaveBeenCalledTimes(waitsMs.length + 1);
  expect(shown.filter((waiting) => waiting !== undefined)).toHaveLength(waitsMs.length);
  expect(shown.at(-1)).toBeUndefined();
});
