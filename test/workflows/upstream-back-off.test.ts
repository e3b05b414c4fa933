import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { audioHarness, refusal } from '../helpers/audio-harness.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { fetchAudio, finishJob, runAudio } = audioHarness();

describe('an upstream that refuses', () => {
  it('asks again when the upstream refuses, and succeeds', async () => {
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited')).mockRejectedValueOnce(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(fetchAudio).toHaveBeenCalledTimes(3);
  });

  it('fails when the upstream goes on refusing', async () => {
    fetchAudio.mockRejectedValue(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
    expect(fetchAudio).toHaveBeenCalledTimes(5);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
  });
});
