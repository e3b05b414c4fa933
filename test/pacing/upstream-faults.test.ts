import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { FailureCode } from '../../contract/failures.ts';
import { aResult, audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { expectWaits, watchAttempts } from '../helpers/workflow-bench.ts';
import { anAudioJob } from '../helpers/jobs.ts';

// These tests have a file, and so a server, of their own: the test server skips no time after a workflow has failed.
const { fetchAudio, finishJob, nowMs, runAudio } = audioHarness();

/** @returns the failure of the job, if it failed, and its waits in seconds */
async function runWith(...codes: FailureCode[]): Promise<{ failure: unknown; waits: readonly number[] }> {
  const waits = watchAttempts(fetchAudio, nowMs, () => {
    const code = codes.shift();
    return code === undefined ? Promise.resolve(aResult) : Promise.reject(refusal(code));
  });
  return { failure: await runAudio(anAudioJob()), waits };
}

describe('an activity whose upstream fails', () => {
  it('is retried, and succeeds', async () => {
    const { failure, waits } = await runWith('upstream_timeout', 'upstream_error');
    expect(failure).toBeUndefined();
    expectWaits(waits, [2, 10]);
  });

  it('uses up no attempt while the disk is full, and waits longer each time', async () => {
    const { failure, waits } = await runWith(
      ...(['upstream_error', 'disk_full', 'upstream_error', 'disk_full'] as const),
      ...(['upstream_error', 'upstream_error', 'disk_full'] as const),
    );
    expect(failure).toBeUndefined();
    expectWaits(waits, [2, 10, 10, 30, 30, 60, 60]);
  });

  it('is given up after five attempts, with 2, 10, 30 and 60 s between them', async () => {
    const { failure, waits } = await runWith(...Array.from({ length: 9 }, () => 'upstream_error' as const));
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expectWaits(waits, [2, 10, 30, 60]);
    expect(fetchAudio).toHaveBeenCalledTimes(5);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
  });
});
