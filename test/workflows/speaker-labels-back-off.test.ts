import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { refusal } from '../helpers/audio-harness.ts';
import { aSpeakerLabelsJob, speechHarness } from '../helpers/speech-harness.ts';
import { waitsOf } from '../helpers/timers.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { speech, records, run, nowMs } = speechHarness('skipping');

/** @returns why the job failed, undefined for a success, and its waits in seconds */
async function runWatched(job: SpeakerLabelsJob): Promise<{ failure: unknown; waits: number[] }> {
  let waits: number[] = [];
  const failure = await run(job, async (client) => {
    const handle = client.workflow.getHandle(job.subjectId);
    await handle.result().catch(() => undefined);
    waits = await waitsOf(handle);
  });
  return { failure, waits };
}

it('asks a transcription server that is in trouble again, and succeeds', async () => {
  speech.transcribeWindow
    .mockRejectedValueOnce(refusal('upstream_error'))
    .mockRejectedValueOnce(refusal('rate_limited'));
  expect(await run(aSpeakerLabelsJob())).toBeUndefined();
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(5);
});

it('waits for space when what came of it cannot be kept, and succeeds', async () => {
  speech.labelSpeakers.mockRejectedValueOnce(refusal('disk_full')).mockRejectedValueOnce(refusal('disk_full'));
  const { failure, waits } = await runWatched(aSpeakerLabelsJob());
  expect([failure, waits]).toEqual([undefined, [10, 30]]);
  expect(speech.labelSpeakers).toHaveBeenCalledTimes(3);
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(3);
});

it('asks it again when it says that it can be asked, and not earlier, but within the hour', async () => {
  speech.prepareSpeech.mockResolvedValue({ windows: 1, durationSeconds: 60, engine: 'openai' });
  const named = [500, 1, 7 * 24 * 3600];
  speech.transcribeWindow.mockImplementation(async () => {
    const seconds = named.shift();
    if (seconds !== undefined) throw refusal('rate_limited', (await nowMs()) + seconds * 1000);
    return { words: 1, voices: 1 };
  });
  const { failure, waits } = await runWatched(aSpeakerLabelsJob());
  expect(failure).toBeUndefined();
  // The first counts from when the server was asked, a moment before the wait begins.
  expect(waits).toEqual([expect.any(Number), 10, 3600]);
  expect(waits[0]).toBeGreaterThan(490);
  expect(waits[0]).toBeLessThanOrEqual(500);
});

it('gives it up after eight attempts, with ever longer waits between them, up to five minutes', async () => {
  speech.prepareSpeech.mockResolvedValue({ windows: 1, durationSeconds: 60, engine: 'openai' });
  speech.transcribeWindow.mockRejectedValue(refusal('upstream_error'));
  const { failure, waits } = await runWatched(aSpeakerLabelsJob());
  expect(failure).toBeInstanceOf(WorkflowFailedError);
  expect(waits).toEqual([2, 10, 30, 60, 120, 300, 300]);
  expect(speech.transcribeWindow).toHaveBeenCalledTimes(8);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
});
