import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { beforeEach, vi } from 'vitest';
import type { AttemptInput, AttemptResult } from '../../activities/deliver-webhook.ts';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { JobOutcome, JobResult } from '../../contract/download-record.ts';
import type { Breakers } from '../../pacing/breakers.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { failureOf } from './failure-of.ts';
import { workflowBench, type BenchServer } from './workflow-bench.ts';
import type { RunSetting } from './workflow-run.ts';

export const aResult: JobResult = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };

export const refusal = (code: FailureCode, retryAtMs?: number): Error =>
  toApplicationFailure(new JobError({ code, message: `It is ${code}.` }, { retryAtMs }));

/** The audio workflow with activities that a test prepares; all succeed by default. */
export function audioHarness(server: BenchServer = 'skipping') {
  const bench = workflowBench(server);
  const claimJob = vi.fn<(input: JobInput) => Promise<'claimed' | 'done'>>();
  const finishJob = vi.fn<(job: { recordId: string; outcome: JobOutcome }) => Promise<void>>();
  const fetchAudio = vi.fn<(job: { recordId: string; mediaId: string }) => Promise<JobResult>>();
  const attemptDelivery = vi.fn<(input: AttemptInput) => Promise<AttemptResult>>();
  const activities = {
    records: { claimJob, finishJob },
    fetch: { fetchAudio, fetchVideo: fetchAudio },
    deliver: { attemptDelivery },
  };

  beforeEach(() => {
    vi.resetAllMocks();
    claimJob.mockResolvedValue('claimed');
    finishJob.mockResolvedValue();
    fetchAudio.mockResolvedValue(aResult);
    attemptDelivery.mockResolvedValue('delivered');
  });

  const withService = <Result>(
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string, breakers: Breakers) => Promise<Result>,
    setting: Partial<RunSetting> = {},
  ) => bench.withService({ activities, ...setting }, body);
  return {
    ...{ claimJob, finishJob, fetchAudio, attemptDelivery, withService },
    nowMs: bench.nowMs,
    /** Runs the job and waits for its webhook too. @returns why it failed, undefined for a success */
    runAudio: (job: JobInput): Promise<unknown> =>
      withService(async (client, taskQueue) => {
        const options = { workflowId: job.subjectId, taskQueue, args: [job] as [JobInput] };
        const failure = await failureOf(client.workflow.execute(audio, options));
        if (job.webhookUrl !== undefined) await client.workflow.getHandle(`webhook/${job.recordId}/1`).result();
        return failure;
      }),
  };
}
