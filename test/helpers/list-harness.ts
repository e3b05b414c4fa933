import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { beforeEach, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import { JOB_VERSION } from '../../contract/job-input.ts';
import type { ClaimJob } from './workflow-run.ts';
import type { ReadySnapshot, SnapshotSteps } from '../../activities/imgnet-snapshots.ts';
import type { ListJob } from '../../contract/kinds/imgnet-list-job.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { imgnetList } from '../../workflows/jobs/imgnet-list.ts';
import { failureOf } from './failure-of.ts';
import { workflowBench } from './workflow-bench.ts';

/** What a list's job keeps in these tests. */
export const kept = { lists: { reels: { pieces: 1, items: 2 } } };

export function aListJob(): ListJob {
  const recordId = ulid();
  const mediaId = `tea.${recordId.toLowerCase()}`.slice(0, 30);
  return {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId, type: 'imgnet_list_reels', mediaId, price: 5 },
    createdAt: '2026-11-21T09:30:00.123456Z',
    subjectId: subjectIdOf('imgnet_list_reels', mediaId, 'all'),
    parameters: { part: 'reels', sinceDate: '2026-11-14', postsCount: 62 },
  };
}

/** The list workflow on a server that skips time, with activities that a test prepares; all succeed by default. */
export function listHarness() {
  const bench = workflowBench();
  const fetch = {
    triggerSnapshot: vi.fn<SnapshotSteps['triggerSnapshot']>(),
    awaitSnapshot: vi.fn<SnapshotSteps['awaitSnapshot']>(),
    storeList: vi.fn<Activities['fetch']['storeList']>(),
  };
  const records = {
    claimJob: vi.fn<ClaimJob>(),
    finishJob: vi.fn<Activities['records']['finishJob']>(),
  };

  beforeEach(() => {
    vi.resetAllMocks();
    records.claimJob.mockResolvedValue('claimed');
    records.finishJob.mockResolvedValue();
    fetch.triggerSnapshot.mockImplementation(async ({ recordId, part }) =>
      Promise.resolve({ recordId, part, snapshotId: 's_1' }),
    );
    fetch.awaitSnapshot.mockImplementation(async (snapshot): Promise<ReadySnapshot> =>
      Promise.resolve({ ...snapshot, isEmpty: false }),
    );
    fetch.storeList.mockResolvedValue(kept);
  });

  const withService = <Result>(
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string) => Promise<Result>,
  ): Promise<Result> => bench.withService({ activities: { records, fetch } }, body);
  return {
    ...{ ...fetch, ...records, withService },
    nowMs: bench.nowMs,
    /** @returns why the job failed, undefined for a success */
    runList: (job: ListJob): Promise<unknown> =>
      withService((client, taskQueue) =>
        failureOf(client.workflow.execute(imgnetList, { workflowId: job.subjectId, taskQueue, args: [job] })),
      ),
  };
}
