import { WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { fetchAudio, finishJob, nowMs, runAudio } = audioHarness();

it('fails a job if the disk is full for half a day', async () => {
  const startMs = await nowMs();
  fetchAudio.mockRejectedValue(refusal('disk_full'));
  const endHours: number[] = [];
  finishJob.mockImplementation(async () => void endHours.push(((await nowMs()) - startMs) / 3_600_000));
  expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
  expect(endHours).toHaveLength(1);
  expect(endHours[0]).toBeGreaterThanOrEqual(12);
  expect(endHours[0]).toBeLessThan(12.5);
  expect(finishJob.mock.lastCall?.[0].outcome).toEqual({
    status: 'failed',
    failure: { code: 'disk_full', message: 'It is disk_full.' },
  });
  expect(fetchAudio.mock.calls.length).toBeLessThan(160);
}, 120_000);
