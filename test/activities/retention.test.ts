import { randomUUID } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createRetentionActivities } from '../../activities/retention.ts';
import type { DownloadRecord, PublishedFile } from '../../contract/download-record.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createExpiredDocuments } from '../../store/records/expired-documents.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { isReusable } from '../../store/records/is-reusable.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { stores, type StoreUnderTest } from '../helpers/file-stores.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';

/** Of a sweep: the worker's configuration, and what differs from an order of the schedule. */
interface SweepSetting {
  readonly configuredDays: number | undefined;
  readonly retentionDays?: number;
  readonly confirmedBy?: string;
}

const DAY_MS = 24 * 3_600_000;
const RETENTION_DAYS = 30;

let mongo: Mongo;
let records: RecordStore;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `keep-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

describe.each(Object.entries(stores))('the retention of files on %s', (_kind, open) => {
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await open();
    return () => store.close();
  });

  const isOpen = vi.fn<(workflowId: string) => Promise<boolean>>();
  const publish = async (recordId: string): Promise<PublishedFile> => {
    const source = join(store.folder, ulid());
    await writeFile(source, 'media');
    return store.files.publish(source, { recordId, name: 'a.m4a' }, new AbortController().signal);
  };
  const aDownload = async (status: DownloadRecord['status']): Promise<DownloadRecord> => {
    const job = anAudioJob();
    const file = await publish(job.recordId);
    if (status === 'pending') return keepJob(records, job);
    if (status === 'success') return keepJob(records, job, { status, result: { durationSeconds: 1, files: [file] } });
    return keepJob(records, job, { status, failure: { code: 'cancelled', message: 'The job was cancelled.' } });
  };
  /** Sweeps everything as it will be after some days. */
  const sweep = async (
    days: number,
    { configuredDays, ...order }: SweepSetting = { configuredDays: RETENTION_DAYS },
  ) => {
    const now = () => Date.now() + days * DAY_MS;
    const workFolders = createWorkFolders(join(store.folder, 'work'));
    const kept = { expiredDocuments: createExpiredDocuments(mongo.db), keepDays: {} };
    const deps = { records, files: store.files, workFolders, isOpen, now, retentionDays: configuredDays, ...kept };
    const activities = createRetentionActivities(deps);
    const sum = { seen: 0, expired: 0, orphans: 0 };
    for (let after: string | undefined; ;) {
      const page = await activities.sweepFiles({
        retentionDays: RETENTION_DAYS,
        ...order,
        ...(after === undefined ? {} : { after }),
      });
      for (const name of ['seen', 'expired', 'orphans'] as const) sum[name] += page[name];
      if (page.next === undefined) break;
      after = page.next;
    }
    return { ...sum, ...(await activities.sweepLeftovers()) };
  };
  const isThere = async (recordId: string): Promise<boolean> =>
    (await store.files.open({ recordId, name: 'a.m4a' })) !== undefined;

  it('removes files when their time is over; the record stays, and says so', async () => {
    const { id } = await aDownload('success');
    expect(await sweep(RETENTION_DAYS - 0.1)).toMatchObject({ seen: 1, expired: 0, orphans: 0 });
    const before = (await records.get(id))!;
    expect([await isThere(id), await isReusable(before, store.files)]).toEqual([true, true]);

    expect(await sweep(RETENTION_DAYS + 0.1)).toMatchObject({ seen: 1, expired: 1, orphans: 0 });
    const after = (await records.get(id))!;
    expect(after).toEqual({ ...before, filesRemovedAt: expect.any(String) as string });
    expect([await isThere(id), await isReusable(after, store.files)]).toEqual([false, false]);

    expect(await sweep(RETENTION_DAYS + 1)).toMatchObject({ seen: 0, expired: 0 });
    expect(await records.get(id)).toEqual(after);
  });

  it('goes on where it was stopped between the note and the removal', async () => {
    const { id } = await aDownload('success');
    await records.noteFilesRemoved(id, '2026-11-21T09:30:00.123456Z');
    expect(await isReusable((await records.get(id))!, store.files)).toBe(false);
    expect(await sweep(RETENTION_DAYS + 1)).toMatchObject({ expired: 1 });
    expect(await isThere(id)).toBe(false);
    expect(await records.get(id)).toMatchObject({ filesRemovedAt: '2026-11-21T09:30:00.123456Z' });
  });

  it('removes nothing before the time that the configuration says, whatever it was started with', async () => {
    const [{ id }, unknown] = [await aDownload('success'), ulid()];
    await publish(unknown);
    const kept = { configuredDays: RETENTION_DAYS, retentionDays: 1 };
    expect(await sweep(RETENTION_DAYS - 0.1, kept)).toMatchObject({ seen: 2, expired: 0, orphans: 1 });
    expect(await sweep(RETENTION_DAYS + 1, { ...kept, retentionDays: 400 })).toMatchObject({ expired: 0 });
    expect(await isThere(id)).toBe(true);
  });

  it('removes nothing at all where files are kept for ever, known or not', async () => {
    const [{ id }, unknown] = [await aDownload('success'), ulid()];
    await publish(unknown);
    expect(await sweep(1000, { configuredDays: undefined, retentionDays: 1 })).toMatchObject({
      expired: 0,
      orphans: 0,
    });
    expect([await isThere(id), await isThere(unknown)]).toEqual([true, true]);
  });

  it.each([undefined, RETENTION_DAYS])('does what was confirmed, with %s days configured', async (configuredDays) => {
    const { id } = await aDownload('success');
    const order = { configuredDays, retentionDays: 1, confirmedBy: 'the operator' };
    expect(await sweep(0.9, order)).toMatchObject({ expired: 0 });
    expect(await sweep(1.1, order)).toMatchObject({ expired: 1 });
    expect(await isThere(id)).toBe(false);
  });

  it('removes what no record knows, but not within a day', async () => {
    const unknown = ulid();
    await publish(unknown);
    const failed = await aDownload('failed');
    expect(await sweep(0.9)).toMatchObject({ seen: 2, orphans: 0 });
    expect(await sweep(1.1)).toMatchObject({ seen: 2, orphans: 2 });
    expect([await isThere(unknown), await isThere(failed.id)]).toEqual([false, false]);
    expect(await records.get(failed.id)).toEqual(failed);
  });

  it('removes a file beside the one that the record knows', async () => {
    const { id } = await aDownload('success');
    const source = join(store.folder, ulid());
    await writeFile(source, 'media');
    await store.files.publish(source, { recordId: id, name: 'b.m4a' }, new AbortController().signal);
    expect(await sweep(2)).toMatchObject({ seen: 2, orphans: 1, expired: 0 });
    expect(await isThere(id)).toBe(true);
  });

  it('leaves alone what a running job has published, and takes what a dead one has', async () => {
    const { id, subjectId } = await aDownload('pending');
    isOpen.mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    expect(await sweep(RETENTION_DAYS * 2)).toMatchObject({ orphans: 0 });
    expect([await isThere(id), isOpen.mock.lastCall]).toEqual([true, [subjectId]]);
    expect(await sweep(RETENTION_DAYS * 2)).toMatchObject({ orphans: 1 });
  });

  it('removes work folders of any host that nothing was made in for two days', async () => {
    const work = join(store.folder, 'work');
    const names = ['old', 'young'].map((host) => `${ulid()}~${host}~1-2~abc`);
    for (const name of names) await mkdir(join(work, name), { recursive: true });
    await writeFile(join(work, 'note.txt'), 'not ours');
    const threeDaysAgo = new Date(Date.now() - 3 * DAY_MS);
    await utimes(join(work, names[0]!), threeDaysAgo, threeDaysAgo);
    expect(await sweep(0)).toMatchObject({ workFolders: 1 });
    expect((await readdir(work)).sort()).toEqual([names[1], 'note.txt'].sort());
  });
});
