import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { MEMO_WAITING } from '../../contract/job-input.ts';
import { aTranscriptJob } from '../helpers/jobs.ts';
import { until } from '../helpers/until.ts';
import { transcriptHarness } from '../helpers/workflow-harness.ts';

const { fetch, records, run } = transcriptHarness('real');
const speechId = ulid();
const aJob = (mode: 'auto' | 'generate' = 'auto', includeComments = false) =>
  aTranscriptJob({ parameters: { language: 'en', includeComments, mode, speechId } });
const begun = (id = speechId) => ({ job: { recordId: id, subjectId: 'speaker_labels/a' } });
const later = () => ApplicationFailure.create({ message: 'Later.', type: 'later', nextRetryDelay: 100 });

it('is of captions if there are any, and starts no transcription', async () => {
  const job = aJob();
  fetch.fetchTranscript.mockResolvedValueOnce({ durationSeconds: 12, title: 'Tea' });
  expect(await run(job)).toBeUndefined();
  expect(records.beginSpeech).not.toHaveBeenCalled();
  const outcome = { status: 'success', result: { durationSeconds: 12, title: 'Tea' } };
  expect(records.finishJob).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, price: job.price, outcome });
});

it('waits for the transcription without captions, names its job in the memo, and charges for the comments alone', async () => {
  const job = aJob('generate', true);
  const comments = { comments: { pieces: 1, items: 2 } };
  fetch.fetchTranscript.mockResolvedValueOnce({ title: 'Tea', isMissing: true });
  fetch.fetchComments.mockResolvedValueOnce({ lists: comments });
  records.beginSpeech.mockResolvedValueOnce(begun());
  let isThere = false;
  const spoken = { charge: 2, durationSeconds: 61 };
  records.awaitSpeech.mockImplementation(() =>
    isThere ? Promise.resolve({ result: spoken }) : Promise.reject(later()),
  );
  const failure = await run(job, async (client) => {
    const memo = async () => (await client.workflow.getHandle(job.subjectId).describe()).memo?.[MEMO_WAITING];
    await until(async () => JSON.stringify((await memo()) ?? '').includes(speechId));
    isThere = true;
  });
  expect(failure).toBeUndefined();
  const result = { title: 'Tea', ...spoken, lists: comments };
  expect(records.finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'success', result });
});

it('fails with the failure of the transcription', async () => {
  const failure = { code: 'no_audio', message: 'The video has no audio.' } as const;
  fetch.fetchTranscript.mockResolvedValue({ isMissing: true });
  records.beginSpeech.mockResolvedValueOnce({ failure });
  expect(await run(aJob())).toBeInstanceOf(WorkflowFailedError);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'failed', failure });
  records.beginSpeech.mockResolvedValueOnce(begun());
  records.awaitSpeech.mockResolvedValueOnce({ failure });
  expect(await run(aJob())).toBeInstanceOf(WorkflowFailedError);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'failed', failure });
});

it('starts a transcription of its own when others have cancelled theirs', async () => {
  const failure = { code: 'cancelled', message: 'The job was cancelled.' } as const;
  const spoken = { charge: 0, durationSeconds: 61 };
  fetch.fetchTranscript.mockResolvedValueOnce({ isMissing: true });
  records.beginSpeech.mockResolvedValueOnce(begun(ulid())).mockResolvedValueOnce(begun());
  records.awaitSpeech.mockResolvedValueOnce({ failure });
  records.awaitSpeech.mockResolvedValueOnce({ result: spoken });
  expect(await run(aJob())).toBeUndefined();
  expect(records.awaitSpeech.mock.lastCall?.[0].speechId).toBe(speechId);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ status: 'success', result: spoken });
  records.beginSpeech.mockResolvedValueOnce(begun());
  fetch.fetchTranscript.mockResolvedValueOnce({ isMissing: true });
  records.awaitSpeech.mockResolvedValueOnce({ failure });
  expect(await run(aJob())).toBeInstanceOf(WorkflowFailedError);
});

it.each([
  ['leaves the transcription that it started', speechId, 1],
  ['does not touch that of others', ulid(), 0],
])('when it is cancelled while it waits, %s', async (_, id, times) => {
  const job = aJob();
  fetch.fetchTranscript.mockResolvedValueOnce({ isMissing: true });
  records.beginSpeech.mockResolvedValueOnce(begun(id));
  records.awaitSpeech.mockImplementation(() => Promise.reject(later()));
  const error = await run(job, async (client) => {
    await until(() => records.awaitSpeech.mock.calls.length > 0);
    await client.workflow.getHandle(job.subjectId).cancel();
  });
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect(records.leaveAudio).toHaveBeenCalledTimes(times);
  expect(records.finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'cancelled' } });
});
