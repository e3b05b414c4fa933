import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import { audio } from '../../workflows/jobs/audio.ts';
import { subscribeSignal } from '../../workflows/lifecycle/messages.ts';
import { aResult, audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { claimJob, finishJob, fetchAudio, attemptDelivery, runAudio, withService } = audioHarness();

describe('an audio job', () => {
  it('claims, fetches, finishes and notifies', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
    expect(await runAudio(job)).toBeUndefined();
    expect(claimJob).toHaveBeenCalledExactlyOnceWith(job);
    expect(fetchAudio).toHaveBeenCalledExactlyOnceWith({ recordId: job.recordId, mediaId: job.mediaId });
    expect(finishJob).toHaveBeenCalledExactlyOnceWith({
      recordId: job.recordId,
      price: job.price,
      outcome: { status: 'success', result: aResult },
    });
    expect(attemptDelivery).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ recordId: job.recordId, url: 'https://example.com/hook', attempt: 1, isLast: false }),
    );
  });

  it.each([
    [{ startedBy: 'service' }, 'service'],
    [{ startedBy: '0123456789abcdef', chargedTo: '0123456789abcdef' }, '0123456789abcdef'],
    [{}, 'anonymous'],
  ])('with %o tells %s of its webhook', async (starter, subscriber) => {
    await runAudio(anAudioJob({ webhookUrl: 'https://example.com/hook', ...starter }));
    expect(attemptDelivery.mock.lastCall?.[0]).toMatchObject({ subscribedBy: [subscriber] });
  });

  it('ends without a record if an earlier job has just succeeded', async () => {
    claimJob.mockResolvedValue('done');
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(fetchAudio).not.toHaveBeenCalled();
    expect(finishJob).not.toHaveBeenCalled();
  });

  it.each(['private', 'removed', 'geo_blocked', 'live'] as const)('fails at once if the video is %s', async (code) => {
    fetchAudio.mockRejectedValue(refusal(code));
    expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
    expect(fetchAudio).toHaveBeenCalledTimes(1);
    const failure = { code, message: `It is ${code}.` };
    expect(finishJob.mock.lastCall?.[0].outcome).toEqual({ status: 'failed', failure });
  });

  it('survives faults of the service, which callers do not see', async () => {
    claimJob.mockRejectedValueOnce(new Error('database is away'));
    fetchAudio.mockRejectedValueOnce(new Error('worker is tired'));
    finishJob.mockRejectedValueOnce(new Error('database is away'));
    expect(await runAudio(anAudioJob())).toBeUndefined();
    expect(finishJob).toHaveBeenCalledTimes(2);
  });

  it('subscribes each URL of a running job once', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/1' });
    await withService(async (client, taskQueue) => {
      let release = (): void => undefined;
      fetchAudio.mockImplementation(() => new Promise((resolve) => (release = () => resolve(aResult))));
      const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
      await vi.waitFor(() => expect(fetchAudio).toHaveBeenCalled(), 10_000);
      for (const url of ['https://example.com/2', 'https://example.com/1', 'https://example.com/2']) {
        await handle.signal(subscribeSignal, url, 'key');
      }
      release();
      await handle.result();
      await vi.waitFor(() => expect(attemptDelivery).toHaveBeenCalledTimes(2), 10_000);
    });
    const notified = attemptDelivery.mock.calls.map(([{ url, subscribedBy }]) => ({ url, subscribedBy }));
    expect(notified.toSorted((a, b) => a.url.localeCompare(b.url))).toEqual([
      { url: 'https://example.com/1', subscribedBy: ['anonymous', 'key'] },
      { url: 'https://example.com/2', subscribedBy: ['key'] },
    ]);
  });

  it('records a cancellation after the activity has stopped', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
    let stopped = false;
    fetchAudio.mockImplementation(async () => {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), 50);
      try {
        await context.cancelled;
        return aResult;
      } catch (error) {
        stopped = true;
        throw error;
      } finally {
        clearInterval(beat);
      }
    });
    const stoppedAtEnd: boolean[] = [];
    finishJob.mockImplementation(() => {
      stoppedAtEnd.push(stopped);
      return Promise.resolve();
    });
    await withService(async (client, taskQueue) => {
      const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
      await vi.waitFor(() => expect(fetchAudio).toHaveBeenCalled(), 10_000);
      await handle.cancel();
      const error: unknown = await handle.result().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
      await client.workflow.getHandle(`webhook/${job.recordId}/1`).result();
    });
    expect(stoppedAtEnd).toEqual([true]);
    expect(finishJob.mock.lastCall?.[0].outcome).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect(attemptDelivery).toHaveBeenCalledTimes(1);
  });

  it('shows operators whose fault a failure was', () => {
    expect(refusal('private')).toMatchObject({ type: 'subject', nonRetryable: true, details: ['private'] });
    expect(refusal('rate_limited')).toBeInstanceOf(ApplicationFailure);
    expect(refusal('rate_limited')).toMatchObject({ type: 'upstream' });
  });
});
