import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { retryLater } from '../../activities/retry-later.ts';
import { aListJob, listHarness } from '../helpers/list-harness.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { triggerSnapshot, awaitSnapshot, finishJob, runList, nowMs } = listHarness();

describe('a snapshot that is never ready', () => {
  it('is given up after 65 minutes, and no other one is started', async () => {
    const startMs = await nowMs();
    awaitSnapshot.mockImplementation(() => Promise.reject(retryLater('upstream_error', 'It is still collecting.')));
    let endMs = 0;
    finishJob.mockImplementation(async () => void (endMs = await nowMs()));
    expect(await runList(aListJob())).toBeInstanceOf(WorkflowFailedError);
    expect((endMs - startMs) / 60_000).toBeGreaterThan(64);
    expect((endMs - startMs) / 60_000).toBeLessThan(66);
    expect(triggerSnapshot).toHaveBeenCalledTimes(1);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_timeout' } });
  }, 120_000);
});
