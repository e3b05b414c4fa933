import { ApplicationFailure, CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import { retryLater } from '../../activities/retry-later.ts';
import { JobError } from '../../runtime/job-error.ts';
import { imgnetList } from '../../workflows/jobs/imgnet-list.ts';
import { kept, imgnetHarness } from '../helpers/workflow-harness.ts';
import { aListJob } from '../helpers/jobs.ts';
import { until } from '../helpers/until.ts';

const { fetch, records, run, withService } = imgnetHarness();
const { triggerSnapshot, awaitSnapshot, storeList } = fetch;

describe('a list job', () => {
  it('starts a snapshot, waits for it and stores its content', async () => {
    const job = aListJob();
    expect(await run(imgnetList, job)).toBeUndefined();
    const snapshot = { recordId: job.recordId, part: 'reels', snapshotId: 's_reels' };
    expect(triggerSnapshot).toHaveBeenCalledExactlyOnceWith({
      ...{ recordId: job.recordId, part: 'reels' },
      request: { kind: 'reels', account: job.mediaId, sinceDate: '2026-11-14' },
    });
    expect(awaitSnapshot).toHaveBeenCalledExactlyOnceWith(snapshot);
    expect(storeList).toHaveBeenCalledExactlyOnceWith({
      snapshot: { ...snapshot, isEmpty: false },
      ...{ account: job.mediaId, part: 'reels', sinceDate: '2026-11-14', postsCount: 62 },
    });
    expect(records.finishJob).toHaveBeenCalledExactlyOnceWith({
      recordId: job.recordId,
      price: job.price,
      outcome: { status: 'success', result: kept },
    });
  });

  it('starts another snapshot when one has failed', async () => {
    const failure = toApplicationFailure(new JobError({ code: 'upstream_error', message: 'It crashed.' }));
    awaitSnapshot.mockRejectedValueOnce(failure);
    triggerSnapshot.mockImplementation(async ({ recordId, part }) =>
      Promise.resolve({ recordId, part, snapshotId: `s_${String(triggerSnapshot.mock.calls.length)}` }),
    );
    expect(await run(imgnetList, aListJob())).toBeUndefined();
    expect(storeList.mock.lastCall?.[0].snapshot.snapshotId).toBe('s_2');
  });

  it('uses the same snapshot again if it was not ready yet', async () => {
    storeList.mockImplementationOnce(() => Promise.reject(retryLater('upstream_timeout', 'It is still collecting.')));
    expect(await run(imgnetList, aListJob())).toBeUndefined();
    expect([triggerSnapshot, awaitSnapshot, storeList].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 2]);
  });

  it('can be cancelled at once while it waits', async () => {
    const job = aListJob();
    awaitSnapshot.mockImplementation(() => Promise.reject(laterByAnHour()));
    await withService(async (client, taskQueue) => {
      const handle = await client.workflow.start(imgnetList, { workflowId: job.subjectId, taskQueue, args: [job] });
      await vi.waitFor(() => expect(awaitSnapshot).toHaveBeenCalled(), 10_000);
      await handle.cancel();
      const failure: unknown = await handle.result().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WorkflowFailedError);
      expect((failure as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    });
    // A second call would mean that the activity had not been waiting.
    expect(awaitSnapshot).toHaveBeenCalledTimes(1);
    expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'cancelled' } });
    expect(storeList).not.toHaveBeenCalled();
  });

  it('ends as cancelled if its last step fails during the cancellation', async () => {
    const job = aListJob();
    let isCancelled = false;
    triggerSnapshot.mockImplementation(async () => {
      await until(() => isCancelled);
      throw toApplicationFailure(new JobError({ code: 'internal', message: 'Nobody knows whether it began.' }));
    });
    await withService(async (client, taskQueue) => {
      const handle = await client.workflow.start(imgnetList, { workflowId: job.subjectId, taskQueue, args: [job] });
      await until(() => triggerSnapshot.mock.calls.length > 0);
      await handle.cancel();
      // A step that fails before the request to cancel arrives is retried.
      await until(async () =>
        (await handle.fetchHistory()).events?.some((event) => event.activityTaskCancelRequestedEventAttributes),
      );
      isCancelled = true;
      await expect(handle.result()).rejects.toThrow();
    });
    expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'cancelled' } });
  });
});

function laterByAnHour(): ApplicationFailure {
  return ApplicationFailure.create({ message: 'Later.', nextRetryDelay: '1 hour', details: ['upstream_timeout'] });
}
