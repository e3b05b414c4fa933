import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { expectWaits, watchAttempts } from '../helpers/workflow-bench.ts';
import { PREPARED, refusal, speechHarness } from '../helpers/workflow-harness.ts';
import { aSpeakerLabelsJob } from '../helpers/jobs.ts';

// These tests have a file, and so a server, of their own: the test server skips no time after a workflow has failed.
const { speech, records, run, nowMs } = speechHarness('skipping');

it('retries a failed transcription, and succeeds', async () => {
  speech.transcribeWindow
    .mockRejectedValueOnce(refusal('upstream_error'))
    .mockRejectedValueOnce(refusal('rate_limited'));
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(5);
});

it('waits for disk space to store the labels, and succeeds', async () => {
  const result = { durationSeconds: 700 };
  let failures = 0;
  const waits = watchAttempts(speech.labelSpeakers, nowMs, () => {
    failures += 1;
    return failures <= 2 ? Promise.reject(refusal('disk_full')) : Promise.resolve(result);
  });
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expectWaits(waits, [10, 30]);
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(3);
});

it('retries at the time that the server names, but within an hour', async () => {
  speech.prepareSpeech.mockResolvedValue({ ...PREPARED, windows: 1, durationSeconds: 60 });
  const named = [500, 1, 7 * 24 * 3600];
  const waits = watchAttempts(speech.transcribeWindow, nowMs, () => {
    const seconds = named.shift();
    // The worker compares the time with its own clock.
    return seconds === undefined
      ? Promise.resolve({ words: 1, voices: 1 })
      : Promise.reject(refusal('rate_limited', Date.now() + seconds * 1000));
  });
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expectWaits(waits, [500, 10, 3600]);
});

it('gives up after eight attempts, with growing delays of up to five minutes', async () => {
  speech.prepareSpeech.mockResolvedValue({ ...PREPARED, windows: 1, durationSeconds: 60 });
  const waits = watchAttempts(speech.transcribeWindow, nowMs, () => Promise.reject(refusal('upstream_error')));
  expect(await run(aSpeakerLabelsJob())).toBeInstanceOf(WorkflowFailedError);
  expectWaits(waits, [2, 10, 30, 60, 120, 300, 300]);
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(8);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
});
