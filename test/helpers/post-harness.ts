import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { beforeAll, beforeEach, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import type { ContentJob } from '../../contract/kinds/imgnet-content.ts';
import type { SnapshotSteps } from '../../activities/imgnet-snapshots.ts';
import type { ClaimJob } from './workflow-run.ts';
import { JOB_VERSION, type JobInput } from '../../contract/job-input.ts';
import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import type { JobOutcome } from '../../contract/download-record.ts';
import { postSubjectOf, subjectIdOf } from '../../contract/kinds/subjects.ts';
import { registerSearchAttributes } from '../../runtime/temporal/search-attributes.ts';
import type { JobEnd } from '../../workflows/lifecycle/job-outcome.ts';
import { failureOf } from './failure-of.ts';
import { workflowBench } from './workflow-bench.ts';

const createdAt = '2026-11-21T09:30:00.123456Z';
const newPost = () => ({ kind: 'post', shortcode: `D${ulid().slice(-10)}` }) as const;

/** Content 0.005, profile 0.010. */
export function aContentJob(): ContentJob {
  const post = newPost();
  return {
    ...{
      version: JOB_VERSION,
      startedBy: 'anonymous',
      recordId: ulid(),
      type: 'imgnet_post',
      mediaId: post.shortcode,
      subjectId: postSubjectOf(post),
      createdAt,
    },
    price: 15,
    parameters: { post, profilePrice: 10 },
  };
}

export function aPostAudioJob(): PostAudioJob {
  const post = newPost();
  return {
    ...{
      version: JOB_VERSION,
      startedBy: 'anonymous',
      recordId: ulid(),
      type: 'imgnet_audio',
      mediaId: post.shortcode,
      createdAt,
    },
    ...{ subjectId: subjectIdOf('imgnet_audio', post.shortcode), price: 5, parameters: { post } },
  };
}

/** The job of a profile that nobody fetches yet. */
export function aProfileJob(paidBy: string): JobInput {
  const account = `tea.${ulid().toLowerCase().slice(-12)}`;
  return {
    ...{
      version: JOB_VERSION,
      startedBy: 'anonymous',
      recordId: ulid(),
      type: 'imgnet_profile',
      subjectId: subjectIdOf('imgnet_profile', account),
      createdAt,
    },
    ...{ mediaId: account, price: 0, parameters: { paidBy } },
  };
}

/** The workflows of posts with activities that a test prepares; what is not prepared succeeds. */
export function postHarness(server: 'skipping' | 'real') {
  const bench = workflowBench(server);
  const fetch = {
    triggerSnapshot: vi.fn<SnapshotSteps['triggerSnapshot']>(),
    awaitSnapshot: vi.fn<SnapshotSteps['awaitSnapshot']>(),
    storeContent: vi.fn<Activities['fetch']['storeContent']>(),
    storeProfile: vi.fn<Activities['fetch']['storeProfile']>(),
    fetchImgnetAudio: vi.fn<Activities['fetch']['fetchImgnetAudio']>(),
  };
  const records = {
    claimJob: vi.fn<ClaimJob>(),
    finishJob: vi.fn<Activities['records']['finishJob']>(),
    findFreshContent: vi.fn<Activities['records']['findFreshContent']>(),
    planOwnerProfile: vi.fn<Activities['records']['planOwnerProfile']>(),
    awaitOwnerProfile: vi.fn<Activities['records']['awaitOwnerProfile']>(),
    hasFetchedProfile: vi.fn<Activities['records']['hasFetchedProfile']>(),
  };
  if (server === 'real') beforeAll(() => registerSearchAttributes(bench.connection(), 'default'), 120_000);
  beforeEach(() => {
    vi.resetAllMocks();
    records.claimJob.mockResolvedValue('claimed');
    fetch.triggerSnapshot.mockImplementation(({ recordId, part }) =>
      Promise.resolve({ recordId, part, snapshotId: `s_${part}` }),
    );
    fetch.awaitSnapshot.mockImplementation((snapshot) => Promise.resolve({ ...snapshot, isEmpty: false }));
    fetch.storeContent.mockResolvedValue({ account: 'tea' });
    fetch.storeProfile.mockResolvedValue({});
    records.hasFetchedProfile.mockResolvedValue(true);
  });

  const withService = <Result>(
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string) => Promise<Result>,
  ): Promise<Result> => bench.withService({ activities: { records, fetch } }, body);
  return {
    ...{ fetch, records },
    /** How the job of a record ended, as it was told to the store. */
    outcomeOf: ({ recordId }: JobInput): JobOutcome | undefined =>
      records.finishJob.mock.calls.map(([told]) => told).find((told) => told.recordId === recordId)?.outcome,
    withService,
    /** Runs a job. @returns why it failed, undefined for a success */
    run: <Job extends JobInput>(workflow: (job: Job) => Promise<JobEnd>, job: Job): Promise<unknown> =>
      withService((client, taskQueue) =>
        failureOf(
          client.workflow.execute(workflow as (job: JobInput) => Promise<JobEnd>, {
            ...{ workflowId: job.subjectId, taskQueue, args: [job] },
          }),
        ),
      ),
  };
}
