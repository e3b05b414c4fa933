import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, inject, vi } from 'vitest';
import type { AttemptInput, AttemptResult } from '../../activities/deliver-webhook.ts';
import { toApplicationFailure } from '../../activities/failures.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../contract/job-error.ts';
import type { JobInput } from '../../contract/jobs.ts';
import type { JobOutcome, JobResult } from '../../contract/records.ts';
import { bundleWorkflows } from '../../worker/create-workers.ts';
import { audio } from '../../workflows/audio.ts';
import { startTimeSkipping } from './time-skipping.ts';
import { withWorkers, type RunSetting } from './workflow-run.ts';

export const aResult: JobResult = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };

export const refusal = (code: FailureCode, retryAtMs?: number): Error =>
  toApplicationFailure(new JobError(code, `It is ${code}.`, { retryAtMs }));

let bundling: Promise<WorkflowBundleWithSourceMap> | undefined;

/**
 * The audio workflow with activities that a test prepares; all succeed by default.
 *
 * @param server `skipping` skips time while a result is awaited, until a workflow has failed or was terminated;
 * `skipping-anew` is such a server for each test; `real` is the server of the whole run
 */
export function audioHarness(server: 'skipping' | 'skipping-anew' | 'real' = 'skipping') {
  let env: TestWorkflowEnvironment;
  let bundle: WorkflowBundleWithSourceMap;
  const claimJob = vi.fn<(input: JobInput) => Promise<'claimed' | 'done'>>();
  const finishJob = vi.fn<(job: { recordId: string; outcome: JobOutcome }) => Promise<void>>();
  const fetchAudio = vi.fn<(job: { recordId: string; mediaId: string }) => Promise<JobResult>>();
  const attemptDelivery = vi.fn<(input: AttemptInput) => Promise<AttemptResult>>();
  const activities = {
    records: { claimJob, finishJob },
    fetch: { fetchAudio, fetchVideo: fetchAudio },
    deliver: { attemptDelivery },
  };

  const [before, after] = server === 'skipping-anew' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    env =
      server === 'real'
        ? await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') })
        : await startTimeSkipping();
    bundle = await (bundling ??= bundleWorkflows());
  }, 120_000);
  after(() => env.teardown());
  beforeEach(() => {
    vi.resetAllMocks();
    claimJob.mockResolvedValue('claimed');
    finishJob.mockResolvedValue();
    fetchAudio.mockResolvedValue(aResult);
    attemptDelivery.mockResolvedValue('delivered');
  });

  const withService = <Result>(
    body: (client: TestWorkflowEnvironment['client'], taskQueue: string) => Promise<Result>,
    setting: Partial<RunSetting> = {},
  ) => withWorkers({ env, bundle, activities, ...setting }, (taskQueue) => body(env.client, taskQueue));
  return {
    ...{ claimJob, finishJob, fetchAudio, attemptDelivery, withService },
    /** The server's time, which differs from this machine's once it was skipped. */
    nowMs: () => env.currentTimeMs(),
    /** Runs the job and waits for its webhook too. @returns why it failed, undefined for a success */
    runAudio: (job: JobInput): Promise<unknown> =>
      withService(async (client, taskQueue) => {
        const options = { workflowId: job.subjectId, taskQueue, args: [job] as [JobInput] };
        const failure: unknown = await client.workflow.execute(audio, options).catch((error: unknown) => error);
        if (job.webhookUrl !== undefined) await client.workflow.getHandle(`webhook/${job.recordId}/1`).result();
        return failure;
      }),
  };
}
