import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { audio } from '../../workflows/audio.ts';
import { audioHarness, refusal } from '../helpers/audio-harness.ts';
import { failureOf } from '../helpers/failure-of.ts';
import { waitsOf } from '../helpers/timers.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { fetchAudio, finishJob, withService } = audioHarness();

/** @returns why the job failed, undefined for a success, and its waits in seconds */
function runAudio(): Promise<{ failure: unknown; waits: number[] }> {
  const job = anAudioJob();
  return withService(async (client, taskQueue) => {
    const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
    const handle = await client.workflow.start(audio, options);
    const failure = await failureOf(handle.result());
    return { failure, waits: await waitsOf(handle) };
  });
}

describe('an upstream in trouble', () => {
  it('is asked again, and succeeds', async () => {
    fetchAudio.mockRejectedValueOnce(refusal('upstream_timeout')).mockRejectedValueOnce(refusal('upstream_error'));
    expect(await runAudio()).toEqual({ failure: undefined, waits: [2, 10] });
    expect(fetchAudio).toHaveBeenCalledTimes(3);
  });

  it('is given up after five attempts, with 2, 10, 30 and 60 s between them', async () => {
    fetchAudio.mockRejectedValue(refusal('upstream_error'));
    const { failure, waits } = await runAudio();
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect(waits).toEqual([2, 10, 30, 60]);
    expect(fetchAudio).toHaveBeenCalledTimes(5);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
  });
});
