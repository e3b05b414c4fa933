import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { MEMO_WAITING } from '../../contract/job-input.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { aSpeakerLabelsJob } from '../helpers/jobs.ts';
import { speechHarness } from '../helpers/workflow-harness.ts';
import { until } from '../helpers/until.ts';

const { speech, records, run } = speechHarness('real');
function aWaitingJob(price?: number): SpeakerLabelsJob {
  const { parameters, ...job } = aSpeakerLabelsJob();
  const awaits = { subjectId: `audio/${job.mediaId}`, ...(price !== undefined && { price }) };
  return { ...job, parameters: { audioId: parameters.audioId, awaits } };
}
const later = () => ApplicationFailure.create({ message: 'Later.', type: 'later', nextRetryDelay: 100 });

it('waits for the audio, names its job in the memo, and then labels it at the price of its length', async () => {
  const job = aWaitingJob();
  const { audioId, awaits } = job.parameters;
  let isThere = false;
  records.awaitAudio.mockImplementation(() => (isThere ? Promise.resolve({ price: 66 }) : Promise.reject(later())));
  const failure = await run(job, async (client) => {
    const memo = async () => (await client.workflow.getHandle(job.subjectId).describe()).memo?.[MEMO_WAITING];
    await until(async () => JSON.stringify((await memo()) ?? '').includes(awaits!.subjectId));
    expect(await memo()).toMatchObject({ job: { subjectId: awaits!.subjectId, recordId: audioId } });
    expect(speech.prepareSpeech).not.toHaveBeenCalled();
    isThere = true;
  });
  expect(failure).toBeUndefined();
  expect(speech.prepareSpeech).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, audioId });
  const outcome = { status: 'success', result: { charge: 66, durationSeconds: 700 } };
  expect(records.finishJob).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, price: job.price, outcome });
});

it('fails with the failure of the audio, and is free for media without sound', async () => {
  const failure = { code: 'private', message: 'The video is private.' } as const;
  records.awaitAudio.mockResolvedValueOnce({ failure });
  const [failing, silent] = [aWaitingJob(), aWaitingJob()];
  expect(await run(failing)).toBeInstanceOf(WorkflowFailedError);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'failed', failure });
  records.awaitAudio.mockResolvedValueOnce({});
  expect(await run(silent)).toBeUndefined();
  expect(records.finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'success', result: { charge: 0 } });
  expect(speech.prepareSpeech).not.toHaveBeenCalled();
});

it.each([
  ['leaves the audio that was started for it', 5, 1],
  ['does not touch the audio of others', undefined, 0],
])('when it is cancelled while it waits, %s', async (_, price, times) => {
  const job = aWaitingJob(price);
  records.awaitAudio.mockImplementation(() => Promise.reject(later()));
  records.leaveAudio.mockClear();
  const error = await run(job, async (client) => {
    await until(() => records.awaitAudio.mock.calls.length > 0);
    await client.workflow.getHandle(job.subjectId).cancel();
  });
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect(records.leaveAudio).toHaveBeenCalledTimes(times);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'cancelled' } });
});
