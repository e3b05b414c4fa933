import { ApplicationFailure } from '@temporalio/common';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import { JobError } from '../../runtime/job-error.ts';
import { MEMO_JOB } from '../../contract/job-input.ts';
import { imgnetContent } from '../../workflows/jobs/imgnet-content.ts';
import { imgnetProfile } from '../../workflows/jobs/imgnet-profile.ts';
import { imgnetHarness } from '../helpers/workflow-harness.ts';
import { aContentJob, aProfileJob } from '../helpers/jobs.ts';
import { until } from '../helpers/until.ts';

const service = imgnetHarness('real');
const { fetch, records, outcomeOf, run } = service;
const success = (charge: number): object => ({ status: 'success', result: { charge } });

it('collects the post, then the profile of its owner, and is charged for both', async () => {
  const job = aContentJob();
  const profile = aProfileJob(job.recordId);
  records.planOwnerProfile.mockResolvedValue(profile);
  expect(await run(imgnetContent, job)).toBeUndefined();
  expect(fetch.triggerSnapshot.mock.calls.map(([order]) => order.request)).toEqual([
    job.parameters.post,
    { kind: 'profile', account: profile.mediaId },
  ]);
  expect(records.planOwnerProfile).toHaveBeenCalledWith({ account: 'tea', paidBy: job.recordId, version: job.version });
  expect(records.claimJob).toHaveBeenCalledWith(profile);
  expect(outcomeOf(job)).toEqual(success(15));
});

it('starts the job of the profile as the api does, so that callers can join it', async () => {
  const job = aContentJob();
  const profile = aProfileJob(job.recordId);
  records.planOwnerProfile.mockResolvedValue(profile);
  await service.withService(async (client, taskQueue) => {
    await client.workflow.execute(imgnetContent, { workflowId: job.subjectId, taskQueue, args: [job] });
    const { memo, status } = await client.workflow.getHandle(profile.subjectId).describe();
    expect(memo?.[MEMO_JOB]).toEqual(profile);
    expect(status.name).toBe('COMPLETED');
  });
});

it('does not fetch a profile that is fresh', async () => {
  const job = aContentJob();
  expect(await run(imgnetContent, job)).toBeUndefined();
  expect(fetch.triggerSnapshot).toHaveBeenCalledTimes(1);
  expect(outcomeOf(job)).toEqual(success(5));
});

it('fetches no profile if the owner of the post is unknown', async () => {
  const job = aContentJob();
  fetch.storeContent.mockResolvedValue({});
  expect(await run(imgnetContent, job)).toBeUndefined();
  expect(records.planOwnerProfile).not.toHaveBeenCalled();
  expect(outcomeOf(job)).toEqual(success(5));
});

it('succeeds without the profile if that cannot be fetched', async () => {
  const job = aContentJob();
  const profile = aProfileJob(job.recordId);
  records.planOwnerProfile.mockResolvedValue(profile);
  fetch.storeProfile.mockRejectedValue(
    toApplicationFailure(new JobError({ code: 'private', message: 'The account is private.' })),
  );
  expect(await run(imgnetContent, job)).toBeUndefined();
  expect(outcomeOf(profile)).toMatchObject({ status: 'failed', failure: { code: 'private' } });
  expect(outcomeOf(job)).toEqual(success(5));
});

it('is not charged for a profile that another job has just fetched', async () => {
  const job = aContentJob();
  records.planOwnerProfile.mockResolvedValue(aProfileJob(job.recordId));
  records.claimJob.mockImplementation(({ type }) => Promise.resolve(type === 'imgnet_profile' ? 'done' : 'claimed'));
  records.hasFetchedProfile.mockResolvedValue(false);
  expect(await run(imgnetContent, job)).toBeUndefined();
  expect(outcomeOf(job)).toEqual(success(5));
});

it('polls for a profile that another job fetches, and is not charged for it', async () => {
  const job = aContentJob();
  const others = aProfileJob(ulid());
  records.planOwnerProfile.mockResolvedValue({ ...others, recordId: aProfileJob(ulid()).recordId });
  const later = ApplicationFailure.create({ message: 'not yet', type: 'later', nextRetryDelay: '100 milliseconds' });
  for (let times = 0; times < 5; times += 1) records.awaitOwnerProfile.mockRejectedValueOnce(later);
  let isProfileOver = false;
  fetch.storeProfile.mockImplementation(() => until(() => isProfileOver && {}));
  await service.withService(async (client, taskQueue) => {
    const profile = await client.workflow.start(imgnetProfile, {
      ...{ workflowId: others.subjectId, taskQueue, args: [others] },
    });
    await client.workflow.execute(imgnetContent, { workflowId: job.subjectId, taskQueue, args: [job] });
    expect(outcomeOf(others)).toBeUndefined();
    isProfileOver = true;
    await profile.result();
  });
  expect(records.awaitOwnerProfile).toHaveBeenCalledTimes(6);
  expect(records.awaitOwnerProfile).toHaveBeenCalledWith(others.subjectId);
  expect(fetch.storeProfile).toHaveBeenCalledTimes(1);
  expect(outcomeOf(job)).toEqual(success(5));
});

it('leaves the job of the profile running when it is cancelled, for the callers that have joined it', async () => {
  const job = aContentJob();
  const profile = aProfileJob(job.recordId);
  records.planOwnerProfile.mockResolvedValue(profile);
  let isProfileOver = false;
  fetch.storeProfile.mockImplementation(() => until(() => isProfileOver && {}));
  await service.withService(async (client, taskQueue) => {
    const handle = await client.workflow.start(imgnetContent, { workflowId: job.subjectId, taskQueue, args: [job] });
    await until(() => fetch.storeProfile.mock.calls.length > 0);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    isProfileOver = true;
    await client.workflow.getHandle(profile.subjectId).result();
  });
  expect(outcomeOf(job)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  expect(outcomeOf(profile)).toMatchObject({ status: 'success' });
});

it.each(['cancelled', 'terminated'] as const)(
  'is charged for a profile whose job was %s after it had called the provider',
  async (how) => {
    const job = aContentJob();
    const profile = aProfileJob(job.recordId);
    records.planOwnerProfile.mockResolvedValue(profile);
    const later = ApplicationFailure.create({ message: 'not yet', type: 'later', nextRetryDelay: '1 hour' });
    fetch.awaitSnapshot.mockImplementation((snapshot) =>
      snapshot.part === 'profile' ? Promise.reject(later) : Promise.resolve({ ...snapshot, isEmpty: false }),
    );
    await service.withService(async (client, taskQueue) => {
      const handle = await client.workflow.start(imgnetContent, { workflowId: job.subjectId, taskQueue, args: [job] });
      await until(() => fetch.awaitSnapshot.mock.calls.some(([{ part }]) => part === 'profile'));
      const child = client.workflow.getHandle(profile.subjectId);
      await (how === 'cancelled' ? child.cancel() : child.terminate());
      await handle.result();
    });
    expect(records.hasFetchedProfile).toHaveBeenCalledWith(profile.recordId);
    expect(outcomeOf(job)).toEqual(success(15));
  },
);
