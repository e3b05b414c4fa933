import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PendingRecord } from '../../contract/download-record.ts';
import { labelsOfAudio, speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { finishRecord } from '../../store/records/finish-record.ts';

let mongo: Mongo;
let records: RecordStore;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `store-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function aPendingRecord(): PendingRecord {
  const id = ulid();
  const createdAt = '2026-11-21T09:30:00.123456Z';
  return {
    id,
    type: 'audio',
    subjectId: `audio/${id}`,
    mediaId: 'k3fP0aTz9Qw',
    createdAt,
    price: 5,
    startedBy: 'anonymous',
    status: 'pending',
  };
}
const success = {
  status: 'success',
  result: { durationSeconds: 12.5, files: [{ name: 'a.m4a', sizeBytes: 10, sha256: 'ab' }] },
} as const;
const failure = { status: 'failed', failure: { code: 'private', message: 'The video is private.' } } as const;
const at = '2026-11-21T09:31:00.000000Z';

describe('the record store', () => {
  it('keeps the record of the first of many concurrent inserts', async () => {
    const record = aPendingRecord();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, price) => records.insertIfAbsent({ ...record, price })),
    );
    expect(new Set(all.map((one) => one.price)).size).toBe(1);
    expect(await records.get(record.id)).toEqual(all[0]);
  });

  it('never makes a record pending again', async () => {
    const record = aPendingRecord();
    await records.insertIfAbsent(record);
    await records.finish(record.id, success, at);
    expect((await records.insertIfAbsent(record)).status).toBe('success');
  });

  it.each([
    [success, failure],
    [failure, success],
  ])('keeps the first of two outcomes and its charge', async (first, second) => {
    const record = aPendingRecord();
    await records.insertIfAbsent(record);
    const ended = await records.finish(record.id, first, at);
    const again = await records.finish(record.id, second, '2026-11-21T09:32:00.000000Z');
    expect(again).toEqual(ended);
    expect(ended).toMatchObject({ status: first.status, finishedAt: at });
    expect('charge' in ended ? ended.charge : 0).toBe(first === success ? 5 : 0);
  });

  it('finds the records of a subject', async () => {
    const record = await records.insertIfAbsent(aPendingRecord());
    expect(await records.latestOf(record.subjectId)).toBeUndefined();
    await records.noteLatest(record);
    expect(await records.latestOf(record.subjectId)).toEqual(record);
    expect(await records.successOf(record.subjectId)).toBeUndefined();
    const ended = await records.finish(record.id, success, at);
    await records.noteSuccess(ended);
    expect(await records.successOf(record.subjectId)).toEqual(ended);
  });

  it('points a subject to the first outcome of its job', async () => {
    const failed = await records.insertIfAbsent(aPendingRecord());
    for (const outcome of [failure, success]) {
      expect(await finishRecord(records, failed.id, outcome)).toMatchObject({ status: 'failed' });
    }
    expect(await records.failureOf(failed.subjectId)).toMatchObject({ id: failed.id });
    expect(await records.successOf(failed.subjectId)).toBeUndefined();

    const done = await records.insertIfAbsent(aPendingRecord());
    await finishRecord(records, done.id, success);
    expect(await records.successOf(done.subjectId)).toMatchObject({ id: done.id });
    expect(await records.failureOf(done.subjectId)).toBeUndefined();
  });
});

describe('the delivery store', () => {
  it('stores each attempt once, in order', async () => {
    const deliveries = createDeliveryStore(mongo.db);
    const recordId = ulid();
    const id = `webhook/${recordId}/1`;
    await deliveries.open({
      id,
      recordId,
      url: 'http://example.com/',
      endpoint: 'downloads/audio',
      createdAt: at,
    });
    const attempt = (number: number) => ({ number, startedAt: at, durationMs: 3, statusCode: 500 });
    await deliveries.recordAttempt(id, attempt(2), { state: 'pending', firstAttempt: 1 });
    await deliveries.recordAttempt(id, attempt(1), { state: 'pending', firstAttempt: 1 });
    await deliveries.recordAttempt(id, attempt(2), { state: 'abandoned', firstAttempt: 1 });
    const delivery = await deliveries.get(id);
    expect(delivery?.attempts.map(({ number }) => number)).toEqual([1, 2]);
    expect(delivery?.state).toBe('abandoned');
    expect(await deliveries.ofRecord(recordId)).toHaveLength(1);
  });
});

describe('a subject with others below it', () => {
  const about = (audioId: string, maxSpeakers: number): PendingRecord => {
    const parameters = { audioId, maxSpeakers };
    return { ...aPendingRecord(), type: 'speaker_labels', subjectId: speakerLabelsSubjectOf(parameters), parameters };
  };

  it('is answered by the newest success of their jobs, or by their newest job', async () => {
    const audioId = ulid();
    const above = labelsOfAudio(audioId);
    expect(await records.newestBelow(above)).toBeUndefined();
    const jobs = Array.from({ length: 8 }, (_, index) => about(audioId, index + 1)).toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    await Promise.all(jobs.map((job) => records.insertIfAbsent(job)));
    expect((await records.newestBelow(above))?.id).toBe(jobs[7]?.id);
    await finishRecord(records, jobs[7]!.id, failure);
    expect(await records.newestBelow(above)).toMatchObject({ id: jobs[7]?.id, status: 'failed' });
    await Promise.all([3, 5, 1].map((index) => finishRecord(records, jobs[index]!.id, success)));
    expect((await records.newestBelow(above))?.id).toBe(jobs[5]?.id);
    // A job of a subject below is no job of the subject itself, since it would fail as an orphan.
    expect(await records.latestOf(above)).toBeUndefined();
    expect((await records.successOf(jobs[3]!.subjectId))?.id).toBe(jobs[3]?.id);
  });

  it('does not exist for other kinds of jobs', async () => {
    const record = aPendingRecord();
    await records.insertIfAbsent(record);
    await finishRecord(records, record.id, success);
    expect(await records.newestBelow(record.subjectId)).toBeUndefined();
  });
});
