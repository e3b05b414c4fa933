import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createAwaitedAudioActivities, type AwaitedAudioDeps } from '../../activities/awaited-audio.ts';
import { failureFor } from '../../contract/failures.ts';
import { pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { SpeakerLabels } from '../../contract/kinds/speaker-labels.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { anAudioJob, keepJob, newJob } from '../helpers/jobs.ts';

let mongo: Mongo;
let records: RecordStore;
let accounts: AccountStore;
let contents: ContentsStore;
const endIfGone = vi.fn<AwaitedAudioDeps['endIfGone']>();
const cancelItem = vi.fn<AwaitedAudioDeps['cancelItem']>();
const file = { name: 'a.m4a', sizeBytes: 1, sha256: 'x' };
const success = (durationSeconds: number, files: readonly (typeof file)[] = [file]) =>
  ({ status: 'success', result: { durationSeconds, files } }) as const;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `wait-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  accounts = createAccountStore(mongo.db);
  contents = createContentsStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  endIfGone.mockReset().mockImplementation((record) => Promise.resolve(record));
  cancelItem.mockReset().mockResolvedValue();
});

const activities = () =>
  createAwaitedAudioActivities({
    ...{ records, contents, endIfGone, cancelItem },
    rendering: { prices: { listItem: 1, speakerLabelsPerMinute: 6 } },
  });
const env = () => new MockActivityEnvironment();

/** Labels of an audio, with a key of the given credit, of which the price of one minute is reserved. */
async function labelsOf(audio: JobInput, { credit = 100, started = false } = {}) {
  const keyId = randomUUID().replaceAll('-', '').slice(0, 16);
  await accounts.open(keyId, credit);
  const awaits = { subjectId: audio.subjectId, ...(started && { price: 5 }) };
  const parameters = { audioId: audio.recordId, awaits };
  const subjectId = speakerLabelsSubjectOf(parameters);
  const base = {
    ...newJob(),
    type: 'speaker_labels',
    mediaId: audio.mediaId,
    subjectId,
    price: 6,
    parameters,
  } as const;
  const job: JobInput = { ...base, startedBy: keyId, chargedTo: keyId };
  expect(await accounts.reserve(keyId, [{ recordId: job.recordId, subjectId, amount: 6 }])).toBe(true);
  await records.insertIfAbsent(pendingRecordOf(job));
  const wait = () => env().run(activities().awaitAudio, { recordId: job.recordId, audioId: audio.recordId });
  const available = async () => (await accounts.get(keyId))!.available;
  return { job, wait, available, accountOf: () => accounts.get(keyId) };
}

describe('the audio for which speaker labels wait', () => {
  it('is looked for again while its job runs', async () => {
    const audio = anAudioJob();
    await keepJob(records, audio);
    const { wait } = await labelsOf(audio);
    await expect(wait()).rejects.toMatchObject({ type: 'later', nonRetryable: false });
  });

  it('determines the price of the labels, which is reserved once, however often the step is repeated', async () => {
    const audio = anAudioJob();
    await keepJob(records, audio, success(601));
    const { job, wait, available, accountOf } = await labelsOf(audio, { credit: 100 });
    expect([await wait(), await wait()]).toEqual([{ price: 66 }, { price: 66 }]);
    expect([await available(), (await records.get(job.recordId))!.price]).toEqual([34, 66]);
    await records.finish(job.recordId, { status: 'success', result: { charge: 66 } }, '2026-11-21T09:31:00.000000Z');
    expect(await accountOf()).toMatchObject({ available: 34, spent: 66 });
  });

  it('fails the labels without a charge if the credit does not suffice for its length', async () => {
    const audio = anAudioJob();
    await keepJob(records, audio, success(601));
    const { job, wait, accountOf } = await labelsOf(audio, { credit: 65 });
    const failure = {
      code: 'insufficient_credit',
      message: 'The transcription costs 0.066, which is more than the credit of the key.',
    } as const;
    expect([await wait(), await wait()]).toEqual([{ failure }, { failure }]);
    await records.finish(job.recordId, { status: 'failed', failure }, '2026-11-21T09:31:00.000000Z');
    expect(await accountOf()).toMatchObject({ available: 65, spent: 0 });
  });

  it('passes on its failure, also if its job was terminated', async () => {
    const [refused, terminated] = [anAudioJob(), anAudioJob()];
    const failure = { code: 'private', message: 'The video is private.' } as const;
    const stopped = { status: 'failed', failure: failureFor('stoppedByOperator') } as const;
    await keepJob(records, refused, { status: 'failed', failure });
    await keepJob(records, terminated);
    endIfGone.mockImplementation((record) => finishRecord(records, record.id, stopped));
    expect(await (await labelsOf(refused)).wait()).toEqual({ failure });
    expect(await (await labelsOf(terminated)).wait()).toMatchObject({ failure: { code: 'cancelled' } });
    expect((await records.get(terminated.recordId))!.status).toBe('failed');
  });

  it('may have no sound, of which the transcript is empty', async () => {
    const audio = anAudioJob({ type: 'imgnet_audio' });
    await keepJob(records, audio, success(0, []));
    const { job, wait } = await labelsOf(audio);
    expect(await wait()).toEqual({});
    expect((await contents.facts<SpeakerLabels>(job.recordId))!.segments.count).toBe(0);
  });
});

describe('an audio that was started for a transcript', () => {
  it('is cancelled with its labels job unless another request waits for it', async () => {
    const audio = anAudioJob({ endsWithStarter: true });
    await keepJob(records, audio);
    const { wait } = await labelsOf(audio, { started: true });
    await expect(wait()).rejects.toMatchObject({ type: 'later' });
    await env().run(activities().leaveAudio, audio.recordId);
    await env().run(activities().leaveAudio, audio.recordId);
    const job = { subjectId: audio.subjectId, id: audio.recordId };
    expect(cancelItem.mock.calls).toMatchObject([[job], [job]]);
    expect(await records.noteInterest(audio.recordId, 'shared')).toBe('abandoned');
  });

  it('continues if another transcript waits for it, or it has ended', async () => {
    const [shared, ended] = [anAudioJob({ endsWithStarter: true }), anAudioJob({ endsWithStarter: true })];
    await keepJob(records, shared);
    const other = await labelsOf(shared);
    await expect(other.wait()).rejects.toMatchObject({ type: 'later' });
    await keepJob(records, ended, success(60));
    for (const { recordId } of [shared, ended]) await env().run(activities().leaveAudio, recordId);
    expect(cancelItem).not.toHaveBeenCalled();
  });
});
