import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { ulid } from 'ulid';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSnapshotActivities, type ReadySnapshot, type SnapshotOrder } from '../../activities/imgnet-snapshots.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { SnapshotStore } from '../../store/records/snapshot-store.ts';
import { fakeImgnetSource } from '../helpers/imgnet-source.ts';
import { until } from '../helpers/until.ts';

const imgnet = fakeImgnetSource();
let kept: string | undefined;
let stopping: AbortController;
let environment: MockActivityEnvironment;

const snapshots: SnapshotStore = {
  claim: () =>
    Promise.resolve(kept === undefined ? { state: 'mine', claimId: 'c' } : { state: 'started', snapshotId: kept }),
  started: (_key, _claimId, snapshotId) => Promise.resolve(void (kept = snapshotId)),
  forget: () => Promise.resolve(void (kept = undefined)),
  ended: () => Promise.resolve(),
  isFree: () => Promise.resolve(true),
  takeOver: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};
const order: SnapshotOrder = { recordId: ulid(), part: 'posts', request: { kind: 'posts', account: 'tea' } };

beforeEach(() => {
  kept = undefined;
  stopping = new AbortController();
  imgnet.trigger.mockReset().mockResolvedValue({ snapshotId: 's_1' });
  imgnet.progress.mockReset().mockResolvedValue('running');
});
afterEach(() => void vi.useRealTimers());

function collect(attempt = 1): Promise<ReadySnapshot | null> {
  const { collectSnapshot } = createSnapshotActivities({
    ...{ imgnet, snapshots, fetchTimeoutMs: 5_000, stopping: stopping.signal },
    records: { recordProviderCall: () => Promise.resolve(true), noteProviderRefused: () => Promise.resolve() },
  });
  environment = new MockActivityEnvironment({ attempt }, { logger: new DefaultLogger('ERROR') });
  return environment.run<[SnapshotOrder], ReadySnapshot | null, typeof collectSnapshot>(collectSnapshot, order);
}
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error,
  );
const looked = (times: number) => until(() => imgnet.progress.mock.calls.length === times);

it('starts a snapshot once, asks until it is ready, and says whether it is empty', async () => {
  imgnet.progress.mockResolvedValueOnce('running').mockResolvedValueOnce('empty');
  const { recordId, part } = order;
  expect(await collect()).toEqual({ recordId, part, snapshotId: 's_1', isEmpty: true });
  expect(imgnet.trigger).toHaveBeenCalledTimes(1);
  expect(imgnet.progress).toHaveBeenCalledTimes(2);
});

it('asks again when only the question went wrong', async () => {
  imgnet.progress
    .mockRejectedValueOnce(new JobError({ code: 'upstream_error', message: 'Not now.' }))
    .mockResolvedValueOnce('ready');
  expect(await collect()).toMatchObject({ snapshotId: 's_1', isEmpty: false });
});

it('ends with a snapshot that failed, and another may be started', async () => {
  imgnet.progress.mockResolvedValueOnce({ failed: new JobError({ code: 'upstream_error', message: 'It crashed.' }) });
  expect(await failureOf(collect())).toMatchObject({ nonRetryable: true, details: ['upstream_error'] });
  expect(kept).toBeUndefined();
});

it('that is cancelled while it waits ends at once', async () => {
  const ended = failureOf(collect());
  await looked(1);
  environment.cancel();
  expect(await ended).toBeInstanceOf(CancelledFailure);
  expect(imgnet.progress).toHaveBeenCalledTimes(1);
});

it('of a worker that stops leaves its snapshot to the next worker, which starts no other', async () => {
  const ended = failureOf(collect());
  await looked(1);
  stopping.abort();
  const failure = await ended;
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ nonRetryable: false, details: ['upstream_timeout'] });
  stopping = new AbortController();
  imgnet.progress.mockResolvedValue('ready');
  expect(await collect(2)).toMatchObject({ snapshotId: 's_1' });
  expect(imgnet.trigger).toHaveBeenCalledTimes(1);
});

it('gives up after an hour and some minutes', async () => {
  const startMs = performance.now();
  const clock = vi.spyOn(performance, 'now');
  imgnet.progress.mockImplementationOnce(() => {
    clock.mockReturnValue(startMs + 64 * 60_000);
    return Promise.resolve('running');
  });
  imgnet.progress.mockImplementationOnce(() => {
    clock.mockReturnValue(startMs + 66 * 60_000);
    return Promise.resolve('running');
  });
  expect(await collect()).toBeNull();
  expect(imgnet.progress).toHaveBeenCalledTimes(2);
  clock.mockRestore();
});
