import { createLocalJobs } from '../../activities/local-jobs.ts';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createRecordActivities } from '../../activities/job-records.ts';
import { createOwnerActivities } from '../../activities/owner-profile-activities.ts';
import type { DownloadRecord, JobOutcome, PendingRecord, RecordType } from '../../contract/download-record.ts';
import { postSubjectOf, subjectIdOf } from '../../contract/kinds/subjects.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';

const HOUR_MS = 3_600_000;

let mongo: Mongo;
let records: RecordStore;
const files = createDiskFiles(join(tmpdir(), 'tapedeck-no-files'));
const isOpen = vi.fn<(workflowId: string) => Promise<boolean>>();
const success: JobOutcome = { status: 'success', result: {} };
const failure: JobOutcome = { status: 'failed', failure: { code: 'private', message: 'It is private.' } };

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `own-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  vi.useRealTimers();
  isOpen.mockReset();
});

async function aRecord(type: RecordType, subjectId: string, outcome?: JobOutcome): Promise<string> {
  const record: PendingRecord = {
    ...{ id: ulid(), type, subjectId, mediaId: 'tea', createdAt: '2026-11-21T09:30:00.123456Z', price: 10 },
    status: 'pending',
    startedBy: 'anonymous',
  };
  await records.insertIfAbsent(record);
  if (outcome !== undefined) await finishRecord(records, record.id, outcome);
  return record.id;
}

const finishedMs = (record: DownloadRecord | undefined): number =>
  record?.status === 'success' ? Date.parse(record.finishedAt) : NaN;

describe('the profile of an owner', () => {
  const owner = () => createOwnerActivities({ records, files, isOpen });
  const anAccount = (): string => `tea.${randomUUID().slice(0, 8)}`;

  it('is planned as a job of its own, which costs nothing and tells who pays', async () => {
    const account = anAccount();
    const job = await owner().planOwnerProfile({ account, paidBy: 'content', version: 2 });
    expect(job).toMatchObject({
      ...{ type: 'imgnet_profile', subjectId: `imgnet_profile/${account}`, mediaId: account, price: 0 },
      parameters: { paidBy: 'content' },
      // The key that pays for the content must not stop what others have joined.
      startedBy: 'job',
      // A worker that goes on with the content must know the profile's steps, too.
      version: 2,
    });
  });

  it('is not planned when it was fetched within the hour, and is after that or after a failure', async () => {
    const [fresh, failed] = [anAccount(), anAccount()];
    await aRecord('imgnet_profile', subjectIdOf('imgnet_profile', fresh), success);
    await aRecord('imgnet_profile', subjectIdOf('imgnet_profile', failed), failure);
    const plan = (account: string) => owner().planOwnerProfile({ account, paidBy: 'content', version: 1 });
    expect(await plan(fresh)).toBeUndefined();
    expect(await plan(failed)).toBeDefined();
    const fetchedMs = finishedMs(await records.successOf(subjectIdOf('imgnet_profile', fresh)));
    vi.useFakeTimers({ toFake: ['Date'], now: fetchedMs + HOUR_MS - 1_000 });
    expect(await plan(fresh)).toBeUndefined();
    vi.setSystemTime(fetchedMs + HOUR_MS + 1_000);
    expect(await plan(fresh)).toBeDefined();
  });

  it('is asked for later as long as its job is open', async () => {
    const { awaitOwnerProfile } = owner();
    const ask = () => new MockActivityEnvironment().run(awaitOwnerProfile, 'imgnet_profile/tea');
    isOpen.mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    await expect(ask()).rejects.toMatchObject({ type: 'later', nonRetryable: false });
    await expect(ask()).resolves.toBeUndefined();
    expect(isOpen).toHaveBeenCalledWith('imgnet_profile/tea');
  });

  it.each(['is there', 'is fetched by another job'])(
    'that %s is taken out of what the pending content costs, once',
    async (how) => {
      const account = anAccount();
      const subjectId = postSubjectOf({ kind: 'post', shortcode: `D${randomUUID().slice(0, 8)}` });
      const content: PendingRecord = {
        ...{ id: ulid(), type: 'imgnet_post', subjectId, mediaId: 'x', createdAt: '2026-11-21T09:30:00.123456Z' },
        ...{ price: 15, parameters: { profilePrice: 10 }, status: 'pending', startedBy: 'anonymous' },
      };
      await records.insertIfAbsent(content);
      await records.noteLatest(content);
      if (how === 'is there') await aRecord('imgnet_profile', subjectIdOf('imgnet_profile', account), success);
      isOpen.mockResolvedValue(false);
      for (let times = 0; times < 2; times += 1) {
        if (how === 'is there') await owner().planOwnerProfile({ account, paidBy: content.id, version: 1 });
        else {
          const environment = new MockActivityEnvironment({ workflowExecution: { workflowId: subjectId, runId: 'r' } });
          await environment.run(owner().awaitOwnerProfile, subjectIdOf('imgnet_profile', account));
        }
        expect(await records.get(content.id)).toMatchObject({ price: 5, parameters: { profilePrice: 0 } });
      }
    },
  );

  it('was fetched by a job only if the record of that very job says so', async () => {
    const subject = subjectIdOf('imgnet_profile', anAccount());
    const { hasFetchedProfile } = owner();
    expect(await hasFetchedProfile(await aRecord('imgnet_profile', subject, success))).toBe(true);
    expect(await hasFetchedProfile(await aRecord('imgnet_profile', subject, failure))).toBe(false);
    // It ended without a trace.
    expect(await hasFetchedProfile(ulid())).toBe(false);
  });
});

describe('the content of a post', () => {
  const findFreshContent = (shortcode: string) =>
    createRecordActivities({
      localJobs: createLocalJobs(),
      records,
      files,
      routes: routesWith(GENEROUS),
    }).findFreshContent(shortcode);

  it.each(['post', 'reel'] as const)('is found when it was fetched by the URL of a %s', async (kind) => {
    const shortcode = `D${randomUUID().slice(0, 8)}`;
    expect(await findFreshContent(shortcode)).toBeUndefined();
    const id = await aRecord('imgnet_post', postSubjectOf({ kind, shortcode }), success);
    const fetchedMs = finishedMs(await records.get(id));
    vi.useFakeTimers({ toFake: ['Date'], now: fetchedMs + HOUR_MS - 1_000 });
    expect(await findFreshContent(shortcode)).toBe(id);
    vi.setSystemTime(fetchedMs + HOUR_MS + 1_000);
    expect(await findFreshContent(shortcode)).toBeUndefined();
  });

  it('is found when it was sent for an audio that then could not be made, however often that fails', async () => {
    const shortcode = `D${randomUUID().slice(0, 8)}`;
    const subject = subjectIdOf('imgnet_audio', shortcode);
    const id = await aRecord('imgnet_audio', subject, failure);
    await records.noteContents(subject, id);
    await aRecord('imgnet_audio', subject, failure);
    expect(await findFreshContent(shortcode)).toBe(id);
    const { keptAtMs } = (await records.contentsOf(subject))!;
    vi.useFakeTimers({ toFake: ['Date'], now: keptAtMs + HOUR_MS - 1_000 });
    expect(await findFreshContent(shortcode)).toBe(id);
    vi.setSystemTime(keptAtMs + HOUR_MS + 1_000);
    expect(await findFreshContent(shortcode)).toBeUndefined();
  });
});
