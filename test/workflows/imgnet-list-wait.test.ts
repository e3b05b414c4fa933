import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { retryLater } from '../../activities/retry-later.ts';
import { imgnetList } from '../../workflows/imgnet-list.ts';
import { aListJob, listHarness } from '../helpers/list-harness.ts';

const { triggerSnapshot, awaitSnapshot, finishJob, runList, withService, nowMs } = listHarness();

/** Only waits are skipped. What the steps take passes, and if that is more than this, the test has failed already. */
const within = { timeout: 120_000 };

describe('the job of a long list', () => {
  it('waits for half an hour with one activity, one snapshot, and one question an attempt', within, async () => {
    const job = aListJob();
    const startMs = await nowMs();
    awaitSnapshot.mockImplementation(async (snapshot) => {
      if (Context.current().info.attempt <= 63) throw retryLater('upstream_timeout', 'It is still collecting.');
      return Promise.resolve({ ...snapshot, isEmpty: false });
    });
    let endMs = 0;
    finishJob.mockImplementation(async () => void (endMs = await nowMs()));
    const scheduled = await withService(async (client, taskQueue) => {
      await client.workflow.execute(imgnetList, { workflowId: job.subjectId, taskQueue, args: [job] });
      const { events } = await client.workflow.getHandle(job.subjectId).fetchHistory();
      return events?.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []) ?? [];
    });
    const waitsSeconds = 2 + 3 + 5 + 10 + 15 + (63 - 5) * 30;
    expect((endMs - startMs) / 1000).toBeGreaterThanOrEqual(waitsSeconds);
    expect((endMs - startMs) / 1000).toBeLessThan(waitsSeconds + within.timeout / 1000);
    expect(triggerSnapshot).toHaveBeenCalledTimes(1);
    expect(scheduled.filter((name) => name === 'awaitSnapshot')).toHaveLength(1);
  });
});

// The last: after a workflow that failed, the test server skips no more time.
describe('a snapshot that is never ready', () => {
  it('is given up after 65 minutes, and no other one is started', within, async () => {
    const startMs = await nowMs();
    awaitSnapshot.mockImplementation(() => Promise.reject(retryLater('upstream_error', 'It is still collecting.')));
    let endMs = 0;
    finishJob.mockImplementation(async () => void (endMs = await nowMs()));
    expect(await runList(aListJob())).toBeInstanceOf(WorkflowFailedError);
    expect((endMs - startMs) / 60_000).toBeGreaterThan(64);
    expect((endMs - startMs) / 60_000).toBeLessThan(65 + within.timeout / 60_000);
    expect(triggerSnapshot).toHaveBeenCalledTimes(1);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_timeout' } });
  });
});
