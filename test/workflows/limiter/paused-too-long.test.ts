import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { MAX_PAUSED_MS } from '../../../runtime/pacing.ts';
import { audioHarness, refusal } from '../../helpers/audio-harness.ts';
import { anAudioJob } from '../../helpers/workflow-run.ts';

// In a file, and so on a server, of its own: after a workflow that failed, the test server skips no more time.
const { fetchAudio, finishJob, nowMs, runAudio } = audioHarness();

it('a platform that refuses for a day makes a job fail, with the platform’s reason', async () => {
  const hourMs = 3_600_000;
  const startMs = await nowMs();
  fetchAudio.mockImplementation(async () => {
    throw refusal('quota_exceeded', (await nowMs()) + 10 * hourMs);
  });
  const endHours: number[] = [];
  finishJob.mockImplementation(async () => void endHours.push(((await nowMs()) - startMs) / hourMs));
  expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
  expect(endHours).toHaveLength(1);
  expect(endHours[0]).toBeGreaterThanOrEqual(MAX_PAUSED_MS / hourMs);
  expect(endHours[0]).toBeLessThan(MAX_PAUSED_MS / hourMs + 0.5);
  expect(fetchAudio).toHaveBeenCalledTimes(3);
  expect(finishJob.mock.lastCall?.[0].outcome).toEqual({
    status: 'failed',
    failure: { code: 'quota_exceeded', message: 'It is quota_exceeded.' },
  });
}, 120_000);
