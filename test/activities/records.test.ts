import { createLocalJobs } from '../../activities/local-jobs.ts';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createRecordActivities } from '../../activities/job-records.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';
import { anAudioJob } from '../helpers/jobs.ts';

let mongo: Mongo;
let records: RecordStore;
let files: FileStore;
let folder: string;
let activities: ReturnType<typeof createRecordActivities>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-files-'));
  mongo = openMongo({ uri: inject('mongodbUri'), database: `act-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  files = createDiskFiles(join(folder, 'files'));
  activities = createRecordActivities({ localJobs: createLocalJobs(), records, files, routes: routesWith(GENEROUS) });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
  await rm(folder, { recursive: true, force: true });
});

/** A job of the subject that has succeeded, with its file on disk. */
async function succeeded(job: JobInput): Promise<void> {
  await activities.beginJob(job);
  const source = join(folder, randomUUID());
  await writeFile(source, 'sound');
  const file = await files.publish(source, { recordId: job.recordId, name: 'a.m4a' }, new AbortController().signal);
  const outcome = { status: 'success', result: { durationSeconds: 1, files: [file] } } as const;
  await activities.finishJob({ recordId: job.recordId, outcome, price: job.price });
}
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const nextJobOf = (job: JobInput): JobInput => anAudioJob({ subjectId: job.subjectId, mediaId: job.mediaId });

describe('claiming a subject', () => {
  it('writes the pending record, however often it is repeated', async () => {
    const job = anAudioJob();
    expect(await activities.beginJob(job)).toHaveProperty('routes');
    expect(await activities.beginJob(job)).toHaveProperty('routes');
    expect(await records.latestOf(job.subjectId)).toMatchObject({ id: job.recordId, status: 'pending' });
  });

  it('writes the record also when the api has pointed to it, and died before it wrote it', async () => {
    const job = anAudioJob();
    await records.noteLatest({ subjectId: job.subjectId, id: job.recordId });
    expect(await activities.beginJob(job)).toHaveProperty('routes');
    expect(await records.get(job.recordId)).toMatchObject({ status: 'pending' });
  });

  it('leaves no trace when the subject was done just before', async () => {
    const job = anAudioJob();
    await succeeded(job);
    const second = nextJobOf(job);
    expect(await activities.beginJob(second)).toBe('done');
    expect(await records.get(second.recordId)).toBeUndefined();
  });

  it('goes on when the success is an old one: by the clock of the api it has expired', async () => {
    const job = anAudioJob();
    await succeeded(job);
    const second = { ...nextJobOf(job), createdAt: inMinutes(6) };
    expect(await activities.beginJob(second)).toHaveProperty('routes');
  });

  it('goes on when a job of another name of the subject succeeds: the api may not have seen that', async () => {
    const [job, other] = [anAudioJob(), anAudioJob()];
    await records.noteSameAs(other.subjectId, job.subjectId);
    await succeeded(other);
    expect(await records.successOf(job.subjectId)).toMatchObject({ id: other.recordId });
    expect(await activities.beginJob(job)).toHaveProperty('routes');
  });

  it('goes on when a caller was told of the job already', async () => {
    const job = anAudioJob();
    await succeeded(job);
    const second = nextJobOf(job);
    const { webhookUrl: _none, ...fields } = second;
    await records.insertIfAbsent({
      ...{ id: fields.recordId, type: fields.type, subjectId: fields.subjectId, mediaId: fields.mediaId },
      ...{ createdAt: fields.createdAt, price: fields.price, startedBy: fields.startedBy, status: 'pending' },
    });
    expect(await activities.beginJob(second)).toHaveProperty('routes');
  });

  it('fetches again what is not kept any more', async () => {
    const job = anAudioJob();
    await succeeded(job);
    await files.remove({ recordId: job.recordId, name: 'a.m4a' });
    expect(await activities.beginJob(nextJobOf(job))).toHaveProperty('routes');
  });

  it('leaves the record of a later job alone when its own was terminated meanwhile', async () => {
    const job = anAudioJob({ recordId: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD' });
    const later = nextJobOf(job);
    await activities.beginJob(later);
    await activities.beginJob(job);
    expect(await records.latestOf(job.subjectId)).toMatchObject({ id: later.recordId, status: 'pending' });
  });

  it('ends the record of a job that was terminated', async () => {
    const job = anAudioJob();
    await activities.beginJob(job);
    await activities.beginJob(nextJobOf(job));
    expect(await records.get(job.recordId)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  });
});

describe('finishing a job', () => {
  it('charges once, however often it is repeated', async () => {
    const job = anAudioJob();
    await succeeded(job);
    const first = await records.get(job.recordId);
    const outcome = { status: 'failed', failure: { code: 'internal', message: 'late' } } as const;
    await activities.finishJob({ recordId: job.recordId, outcome, price: job.price });
    expect(await records.get(job.recordId)).toEqual(first);
    expect(first).toMatchObject({ status: 'success', charge: 5 });
  });
});
