import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { refusal } from '../helpers/audio-harness.ts';
import { aSpeakerLabelsJob, speechHarness } from '../helpers/speech-harness.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { speech, records, run } = speechHarness('skipping');

it('asks a transcription server that is in trouble again, and succeeds', async () => {
  speech.transcribeWindow
    .mockRejectedValueOnce(refusal('upstream_error'))
    .mockRejectedValueOnce(refusal('rate_limited'));
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(5);
});

it('gives it up after eight attempts', async () => {
  speech.prepareSpeech.mockResolvedValue({ windows: 1, durationSeconds: 60, engine: 'openai' });
  speech.transcribeWindow.mockRejectedValue(refusal('upstream_error'));
  expect(await run(aSpeakerLabelsJob())).toBeInstanceOf(WorkflowFailedError);
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(8);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
});
