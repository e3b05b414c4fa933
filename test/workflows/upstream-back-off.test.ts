import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { audioHarness, refusal } from '../helpers/audio-harness.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { fetchAudio, finishJob, runAudio } = audioHarness();

describe('an upstream in trouble', () => {
  it('is asked again, and succeeds', async () => {
    fetchAudio.mockRejectedValueOnce(refusal('upstream_timeout')).mockRejectedValueOnce(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(fetchAudio).toHaveBeenCalledTimes(3);
  });

  it('is given up after five attempts', async () => {
    fetchAudio.mockRejectedValue(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
    expect(fetchAudio).toHaveBeenCalledTimes(5);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
  });
});
