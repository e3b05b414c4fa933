import { ApplicationFailure, CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { Context } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { AttemptInput, AttemptResult } from '../../activities/deliver-webhook.ts';
import { toApplicationFailure } from '../../activities/failures.ts';
import type { FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../contract/job-error.ts';
import type { JobInput } from '../../contract/jobs.ts';
import type { JobOutcome, JobResult } from '../../contract/records.ts';
import { bundleWorkflows } from '../../worker/create-workers.ts';
import { audio } from '../../workflows/audio.ts';
import { subscribeSignal } from '../../workflows/messages.ts';
import { anAudioJob, withWorkers } from '../helpers/workflow-run.ts';

let env: TestWorkflowEnvironment;
let bundle: WorkflowBundleWithSourceMap;

const result: JobResult = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };
const claimJob = vi.fn<(input: JobInput) => Promise<'claimed' | 'done'>>();
const finishJob = vi.fn<(job: { recordId: string; outcome: JobOutcome }) => Promise<void>>();
const fetchAudio = vi.fn<() => Promise<JobResult>>();
const attemptDelivery = vi.fn<(input: AttemptInput) => Promise<AttemptResult>>();
const activities = { records: { claimJob, finishJob }, fetch: { fetchAudio }, deliver: { attemptDelivery } };

beforeAll(async () => {
  env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: inject('timeSkippingServer') } });
  bundle = await bundleWorkflows();
}, 120_000);
afterAll(() => env.teardown());
beforeEach(() => {
  vi.resetAllMocks();
  claimJob.mockResolvedValue('claimed');
  finishJob.mockResolvedValue();
  fetchAudio.mockResolvedValue(result);
  attemptDelivery.mockResolvedValue('delivered');
});

const refusal = (code: FailureCode): Error => toApplicationFailure(new JobError(code, `It is ${code}.`));

/** Runs the job and waits for its webhooks too. @returns why it failed, undefined for a success */
function runAudio(job: JobInput): Promise<unknown> {
  return withWorkers({ env, bundle, activities }, async (taskQueue) => {
    const options = { workflowId: job.subjectId, taskQueue, args: [job] as [JobInput] };
    const failure: unknown = await env.client.workflow.execute(audio, options).catch((error: unknown) => error);
    const started = job.webhookUrl === undefined ? 0 : 1;
    for (let number = 1; number <= started; number += 1) {
      await env.client.workflow.getHandle(`webhook/${job.recordId}/${String(number)}`).result();
    }
    return failure;
  });
}

describe('the audio job', () => {
  it('claims, fetches, finishes and notifies', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
    expect(await runAudio(job)).toBeUndefined();
    expect(claimJob).toHaveBeenCalledExactlyOnceWith(job);
    expect(fetchAudio).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, mediaId: job.mediaId });
    expect(finishJob).toHaveBeenCalledExactlyOnceWith({
      recordId: job.recordId,
      outcome: { status: 'success', result },
    });
    expect(attemptDelivery).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ recordId: job.recordId, url: 'https://example.com/hook', attempt: 1, isLast: false }),
    );
  });

  it('ends without a trace when the subject was done before', async () => {
    claimJob.mockResolvedValue('done');
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(fetchAudio).not.toHaveBeenCalled();
    expect(finishJob).not.toHaveBeenCalled();
  });

  it.each(['private', 'removed', 'geo_blocked', 'live'] as const)(
    'gives up at once on a subject that is %s',
    async (code) => {
      fetchAudio.mockRejectedValue(refusal(code));
      expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
      expect(fetchAudio).toHaveBeenCalledTimes(1);
      const failure = { code, message: `It is ${code}.` };
      expect(finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'failed', failure });
    },
  );

  it('asks again when the upstream refuses, and succeeds', async () => {
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited')).mockRejectedValueOnce(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(fetchAudio).toHaveBeenCalledTimes(3);
  });

  it('fails when the upstream goes on refusing', async () => {
    fetchAudio.mockRejectedValue(refusal('upstream_error'));
    expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
    expect(fetchAudio).toHaveBeenCalledTimes(5);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ failure: { code: 'upstream_error' } });
  });

  it('survives faults of ours without telling the caller', async () => {
    claimJob.mockRejectedValueOnce(new Error('database is away'));
    fetchAudio.mockRejectedValueOnce(new Error('worker is tired'));
    finishJob.mockRejectedValueOnce(new Error('database is away'));
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(finishJob).toHaveBeenCalledTimes(2);
  });

  it('subscribes each URL of a running job once', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/1' });
    await withWorkers({ env, bundle, activities }, async (taskQueue) => {
      let release = (): void => undefined;
      fetchAudio.mockImplementation(() => new Promise((resolve) => (release = () => resolve(result))));
      const handle = await env.client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
      await vi.waitFor(() => expect(fetchAudio).toHaveBeenCalled(), 10_000);
      for (const url of ['https://example.com/2', 'https://example.com/1', 'https://example.com/2']) {
        await handle.signal(subscribeSignal, url);
      }
      release();
      await handle.result();
      await vi.waitFor(() => expect(attemptDelivery).toHaveBeenCalledTimes(2), 10_000);
    });
    expect(attemptDelivery.mock.calls.map(([input]) => input.url)).toEqual([
      'https://example.com/1',
      'https://example.com/2',
    ]);
  });

  it('records a cancellation, after the activity has stopped', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
    let stopped = false;
    fetchAudio.mockImplementation(async () => {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), 50);
      try {
        await context.cancelled;
        return result;
      } catch (error) {
        stopped = true;
        throw error;
      } finally {
        clearInterval(beat);
      }
    });
    finishJob.mockImplementation(() => {
      expect(stopped).toBe(true);
      return Promise.resolve();
    });
    await withWorkers({ env, bundle, activities }, async (taskQueue) => {
      const handle = await env.client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
      await vi.waitFor(() => expect(fetchAudio).toHaveBeenCalled(), 10_000);
      await handle.cancel();
      const error: unknown = await handle.result().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
      await env.client.workflow.getHandle(`webhook/${job.recordId}/1`).result();
    });
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect(attemptDelivery).toHaveBeenCalledTimes(1);
  });

  it('tells operators whose fault a failure was', () => {
    expect(refusal('private')).toMatchObject({ type: 'subject', nonRetryable: true, details: ['private'] });
    expect(refusal('rate_limited')).toBeInstanceOf(ApplicationFailure);
    expect(refusal('rate_limited')).toMatchObject({ type: 'upstream' });
  });
});
