import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beforeEach, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import type { SnapshotSteps } from '../../activities/imgnet-snapshots.ts';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import type { JobOutcome, JobResult } from '../../contract/download-record.ts';
import type { FailureCode } from '../../contract/failures.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import type { Breakers } from '../../pacing/breakers.ts';
import { JobError } from '../../runtime/job-error.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { speakerLabels } from '../../workflows/jobs/speaker-labels.ts';
import { transcript } from '../../workflows/jobs/transcript.ts';
import type { JobEnd } from '../../workflows/lifecycle/job-outcome.ts';
import { failureOf } from './promises.ts';
import { workflowBench, type BenchServer } from './workflow-bench.ts';
import type { ClaimJob, FakeActivities, RunSetting } from './workflow-run.ts';

type Client = TestWorkflowEnvironment['client'];

export const aResult: JobResult = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };
/** What a list's job keeps in these tests. */
export const kept = { lists: { reels: { pieces: 1, items: 2 } } };
/** Of the engine that the worker has. */
export const ENGINE_KEY = 'sherpa-12345678';
/** Three windows. */
export const PREPARED = { windows: 3, durationSeconds: 700, engine: 'sherpa', engineKey: ENGINE_KEY };

export const refusal = (code: FailureCode, retryAtMs?: number): Error =>
  toApplicationFailure(new JobError({ code, message: `It is ${code}.` }, { retryAtMs }));

/** Runs workflows with activities that a test prepares. */
function harness(server: BenchServer, setting: { readonly activities: FakeActivities; readonly engineKey?: string }) {
  const bench = workflowBench(server);
  beforeEach(() => void vi.resetAllMocks());
  const withService = <Result>(
    body: (client: Client, taskQueue: string, breakers: Breakers) => Promise<Result>,
    more: Partial<RunSetting> = {},
  ) => bench.withService({ ...setting, ...more }, body);
  return {
    ...{ withService, nowMs: bench.nowMs },
    /** Runs a job while the body watches it. @returns why it failed, undefined for a success */
    run: <Job extends JobInput>(
      workflow: (job: Job) => Promise<JobEnd>,
      job: Job,
      body: (client: Client) => Promise<void> = () => Promise.resolve(),
    ): Promise<unknown> =>
      withService(async (client, taskQueue) => {
        const options = { workflowId: job.subjectId, taskQueue, args: [job] as [JobInput] };
        const handle = await client.workflow.start(workflow as (job: JobInput) => Promise<JobEnd>, options);
        await body(client);
        return failureOf(handle.result());
      }),
  };
}

const recordActivities = () => ({
  claimJob: vi.fn<ClaimJob>(),
  finishJob: vi.fn<Activities['records']['finishJob']>(),
});

/** The audio workflow; all activities succeed by default. */
export function audioHarness(server: BenchServer = 'skipping') {
  const { claimJob, finishJob } = recordActivities();
  const fetchAudio = vi.fn<Activities['fetch']['fetchAudio']>();
  const attemptDelivery = vi.fn<Activities['deliver']['attemptDelivery']>();
  const { run, ...rest } = harness(server, {
    activities: {
      records: { claimJob, finishJob },
      fetch: { fetchAudio, fetchVideo: fetchAudio },
      deliver: { attemptDelivery },
    },
  });
  beforeEach(() => {
    claimJob.mockResolvedValue('claimed');
    fetchAudio.mockResolvedValue(aResult);
    attemptDelivery.mockResolvedValue('delivered');
  });
  return {
    ...{ claimJob, finishJob, fetchAudio, attemptDelivery, ...rest },
    /** Runs the job and waits for its webhook too. @returns why it failed, undefined for a success */
    runAudio: async (job: JobInput): Promise<unknown> => {
      const failure = await run(audio, job);
      if (job.webhookUrl !== undefined)
        await rest.withService((client) => client.workflow.getHandle(`webhook/${job.recordId}/1`).result());
      return failure;
    },
  };
}

/** The workflows of the photo platform; what a test does not prepare succeeds. */
export function imgnetHarness(server: BenchServer = 'skipping') {
  const fetch = {
    triggerSnapshot: vi.fn<SnapshotSteps['triggerSnapshot']>(),
    awaitSnapshot: vi.fn<SnapshotSteps['awaitSnapshot']>(),
    storeContent: vi.fn<Activities['fetch']['storeContent']>(),
    storeList: vi.fn<Activities['fetch']['storeList']>(),
    storeProfile: vi.fn<Activities['fetch']['storeProfile']>(),
    fetchImgnetAudio: vi.fn<Activities['fetch']['fetchImgnetAudio']>(),
    fetchImgnetFiles: vi.fn<Activities['fetch']['fetchImgnetFiles']>(),
  };
  const records = {
    ...recordActivities(),
    findFreshContent: vi.fn<Activities['records']['findFreshContent']>(),
    planOwnerProfile: vi.fn<Activities['records']['planOwnerProfile']>(),
    awaitOwnerProfile: vi.fn<Activities['records']['awaitOwnerProfile']>(),
    hasFetchedProfile: vi.fn<Activities['records']['hasFetchedProfile']>(),
  };
  const service = harness(server, { activities: { records, fetch } });
  beforeEach(() => {
    records.claimJob.mockResolvedValue('claimed');
    fetch.triggerSnapshot.mockImplementation(({ recordId, part }) =>
      Promise.resolve({ recordId, part, snapshotId: `s_${part}` }),
    );
    fetch.awaitSnapshot.mockImplementation((snapshot) => Promise.resolve({ ...snapshot, isEmpty: false }));
    fetch.storeContent.mockResolvedValue({ account: 'tea' });
    fetch.storeList.mockResolvedValue(kept);
    fetch.storeProfile.mockResolvedValue({});
    records.hasFetchedProfile.mockResolvedValue(true);
  });
  return {
    ...{ fetch, records, ...service },
    /** How the job of a record ended, as it was reported to the store. */
    outcomeOf: ({ recordId }: JobInput): JobOutcome | undefined =>
      records.finishJob.mock.calls.map(([end]) => end).find((end) => end.recordId === recordId)?.outcome,
  };
}

/** The workflow of the media of pages; the job is claimed by default. */
export function mediaHarness(server: BenchServer) {
  const records = recordActivities();
  const fetchMedia = vi.fn<Activities['fetch']['fetchMedia']>();
  const service = harness(server, { activities: { records, fetch: { fetchMedia } } });
  beforeEach(() => {
    records.claimJob.mockResolvedValue('claimed');
  });
  return { fetchMedia, ...service };
}

/** The workflow of speaker labels; three windows, all succeed by default. */
export function speechHarness(server: BenchServer) {
  const speech = {
    prepareSpeech: vi.fn<Activities['speech']['prepareSpeech']>(),
    transcribeWindow: vi.fn<Activities['speech']['transcribeWindow']>(),
    labelSpeakers: vi.fn<Activities['speech']['labelSpeakers']>(),
  };
  const records = {
    ...recordActivities(),
    clearSpeech: vi.fn<Activities['records']['clearSpeech']>(),
    awaitAudio: vi.fn<Activities['records']['awaitAudio']>(),
    leaveAudio: vi.fn<Activities['records']['leaveAudio']>(),
  };
  const { run, nowMs } = harness(server, { activities: { records, speech }, engineKey: ENGINE_KEY });
  beforeEach(() => {
    records.claimJob.mockResolvedValue('claimed');
    speech.prepareSpeech.mockResolvedValue(PREPARED);
    speech.transcribeWindow.mockResolvedValue({ words: 1, voices: 1 });
    speech.labelSpeakers.mockResolvedValue({ durationSeconds: 700 });
  });
  return {
    ...{ speech, records, nowMs },
    run: (job: SpeakerLabelsJob, body?: (client: Client) => Promise<void>) => run(speakerLabels, job, body),
  };
}

/** The workflow of transcripts; the job is claimed by default. */
export function transcriptHarness(server: BenchServer) {
  const fetch = {
    fetchTranscript: vi.fn<Activities['fetch']['fetchTranscript']>(),
    fetchComments: vi.fn<Activities['fetch']['fetchComments']>(),
  };
  const records = {
    ...recordActivities(),
    beginSpeech: vi.fn<Activities['records']['beginSpeech']>(),
    awaitSpeech: vi.fn<Activities['records']['awaitSpeech']>(),
    leaveAudio: vi.fn<Activities['records']['leaveAudio']>(),
  };
  const { run } = harness(server, { activities: { records, fetch } });
  beforeEach(() => {
    records.claimJob.mockResolvedValue('claimed');
  });
  return {
    ...{ fetch, records },
    run: (job: TranscriptJob, body?: (client: Client) => Promise<void>) => run(transcript, job, body),
  };
}
