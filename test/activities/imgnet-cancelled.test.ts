import { createLocalJobs } from '../../activities/local-jobs.ts';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createSnapshotSteps, type StartedSnapshot } from '../../activities/imgnet-snapshots.ts';
import { createOwnerActivities } from '../../activities/owner-profile-activities.ts';
import { createRecordActivities } from '../../activities/job-records.ts';
import { failureFor, type Failure } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { renderDownload } from '../../contract/kinds/kinds.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import { UncertainTriggerError } from '../../sources/imgnet/imgnet-source.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { createSnapshotStore } from '../../store/records/snapshot-store.ts';
import { fakeImgnetSource } from '../helpers/imgnet-source.ts';
import { aListJob, aContentJob, aPostAudioJob, aProfileJob } from '../helpers/jobs.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';

let mongo: Mongo;
let records: RecordStore;
let accounts: AccountStore;
let activities: ReturnType<typeof build>;
const imgnet = fakeImgnetSource();

function build() {
  const files = createDiskFiles(join(tmpdir(), 'tapedeck-no-files'));
  const snapshots = createSnapshotStore(mongo.db);
  return {
    ...createSnapshotSteps({
      imgnet,
      snapshots,
      records,
      fetchTimeoutMs: 5_000,
      stopping: new AbortController().signal,
    }),
    ...createRecordActivities({ localJobs: createLocalJobs(), records, files, routes: routesWith(GENEROUS) }),
    ...createOwnerActivities({ records, files, isOpen: () => Promise.resolve(false) }),
  };
}

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `stop-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  accounts = createAccountStore(mongo.db);
  activities = build();
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  imgnet.trigger.mockReset();
  imgnet.trigger.mockResolvedValue({ snapshotId: 's_1' });
});

const CREDIT = 100;
/** A key whose price for the job is set aside, and the job, claimed by its workflow. */
async function begun<Job extends JobInput>(job: Job): Promise<Job & { readonly chargedTo: string }> {
  const chargedTo = randomUUID().replaceAll('-', '').slice(0, 16);
  await accounts.open(chargedTo, CREDIT);
  await accounts.reserve(chargedTo, [{ recordId: job.recordId, subjectId: job.subjectId, amount: job.price }]);
  const input = { ...job, chargedTo };
  await activities.beginJob(input);
  return input;
}
const trigger = ({ recordId }: JobInput, part = 'one'): Promise<StartedSnapshot> =>
  new MockActivityEnvironment({ attempt: 1 }, { logger: new DefaultLogger('ERROR') }).run<
    [Parameters<typeof activities.triggerSnapshot>[0]],
    StartedSnapshot,
    typeof activities.triggerSnapshot
  >(activities.triggerSnapshot, { recordId, part, request: { kind: 'profile', account: 'tea' } });
const end = (job: JobInput, failure: Failure): Promise<void> =>
  activities.finishJob({ recordId: job.recordId, price: job.price, outcome: { status: 'failed', failure } });
/** What callers see, and what the key has paid, set aside and left. */
async function moneyOf({ recordId, chargedTo = '' }: JobInput) {
  const record = (await records.get(recordId))!;
  const { data } = renderDownload(record, { prices: priceTable({}), linkTo: () => '' });
  const account = (await accounts.get(chargedTo))!;
  const entries = await accounts.ledger(chargedTo, { limit: 10 });
  const { available, spent } = account;
  const holds = await accounts.reservations(chargedTo);
  return {
    ...{ status: data.status, cost: data.cost, available, spent, holds: holds.length },
    entries: entries.map(({ amount }) => amount),
  };
}
const paid = (amount: number) => ({
  ...{ status: 'failed', cost: `0.${String(amount).padStart(3, '0')}`, available: CREDIT - amount, spent: amount },
  ...{ holds: 0, entries: amount === 0 ? [] : [amount] },
});
const aPaidProfile = (): JobInput => {
  const { parameters: _paidBy, ...job } = aProfileJob('');
  return { ...job, price: 10 };
};

describe('a job of the photo platform that is cancelled after its trigger', () => {
  it.each<[string, () => JobInput, number]>([
    ['a profile', aPaidProfile, 10],
    ['one part of a list', aListJob, 5],
    ['the content of a post, without a profile', aContentJob, 5],
    ['the audio of a post', aPostAudioJob, 5],
  ])('charges %s once', async (_kind, jobOf, price) => {
    const job = await begun(jobOf());
    await trigger(job);
    for (let times = 0; times < 3; times += 1) await end(job, failureFor('cancelled'));
    await Promise.all([1, 2, 3].map(() => end(job, failureFor('cancelled'))));
    expect(await moneyOf(job)).toEqual(paid(price));
  });

  it('is charged when it is unknown whether the trigger arrived', async () => {
    imgnet.trigger.mockRejectedValue(new UncertainTriggerError(new Error('hang')));
    const job = await begun(aListJob());
    await expect(trigger(job)).rejects.toThrow();
    await end(job, failureFor('cancelled'));
    expect(await moneyOf(job)).toEqual(paid(5));
  });

  it('is charged when the worker dies between the end of the record and the capture', async () => {
    const job = await begun(aListJob());
    await trigger(job);
    const ended = { status: 'failed', failure: failureFor('cancelled'), finishedAt: '2026-11-22T09:31:00.000000Z' };
    await mongo.db.collection<{ _id: string }>('records').updateOne({ _id: job.recordId }, { $set: ended });
    expect(await moneyOf(job)).toMatchObject({ cost: '0.005', spent: 0, holds: 1 });
    await end(job, failureFor('cancelled'));
    expect(await moneyOf(job)).toEqual(paid(5));
  });

  it('is charged by the next job of the subject when its workflow was terminated', async () => {
    const job = await begun(aListJob());
    await trigger(job);
    await activities.beginJob({ ...aListJob(), subjectId: job.subjectId, mediaId: job.mediaId });
    expect(await moneyOf(job)).toEqual(paid(5));
  });

  it('is also charged for the profile of the owner if that job has started, because it continues', async () => {
    const job = await begun(aContentJob());
    await trigger(job, 'content');
    await activities.beginJob(aProfileJob(job.recordId));
    await end(job, failureFor('cancelled'));
    expect(await moneyOf(job)).toEqual(paid(15));
  });
});

describe('a job of the photo platform that ends without a charge', () => {
  it('is free when it is cancelled before the trigger', async () => {
    const job = await begun(aListJob());
    await end(job, failureFor('cancelled'));
    expect(await moneyOf(job)).toEqual(paid(0));
  });

  it('is free when it is cancelled after the provider refused the trigger', async () => {
    imgnet.trigger.mockRejectedValue(new JobError({ code: 'rate_limited', message: 'Slow down.' }));
    const job = await begun(aListJob());
    await expect(trigger(job)).rejects.toThrow();
    await end(job, failureFor('cancelled'));
    expect(await moneyOf(job)).toEqual(paid(0));
  });

  it('is free when it fails', async () => {
    const job = await begun(aListJob());
    await trigger(job);
    await end(job, { code: 'private', message: 'The account is private.' });
    expect(await moneyOf(job)).toEqual(paid(0));
  });

  it('sends no trigger after its record has ended, for example because its workflow was terminated', async () => {
    const job = await begun(aListJob());
    await end(job, failureFor('stoppedByOperator'));
    await expect(trigger(job)).rejects.toMatchObject({ nonRetryable: true, details: ['cancelled'] });
    expect(imgnet.trigger).not.toHaveBeenCalled();
    expect(await moneyOf(job)).toEqual(paid(0));
  });

  it('is charged if and only if the trigger was sent, when both happen at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const job = await begun(aListJob());
      imgnet.trigger.mockClear();
      await Promise.all([trigger(job).catch(vi.fn()), end(job, failureFor('stoppedByOperator'))]);
      expect(await moneyOf(job)).toEqual(paid(5 * imgnet.trigger.mock.calls.length));
    }
  });
});

describe("a stopped job for the profile of a post's owner", () => {
  it('counts as fetched after its trigger, even before its record has ended', async () => {
    const [triggered, untriggered] = [aProfileJob('content'), aProfileJob('content')];
    await activities.beginJob(triggered);
    await activities.beginJob(untriggered);
    await trigger(triggered);
    expect(await activities.hasFetchedProfile(triggered.recordId)).toBe(true);
    await end(triggered, failureFor('cancelled'));
    await end(untriggered, failureFor('cancelled'));
    expect(await activities.hasFetchedProfile(triggered.recordId)).toBe(true);
    expect(await activities.hasFetchedProfile(untriggered.recordId)).toBe(false);
  });
});
