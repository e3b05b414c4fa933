import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { limiterIdOf, MAX_PAUSED_MS, type RouteLimits } from '../../../runtime/pacing.ts';
import { audio } from '../../../workflows/audio.ts';
import { deliverWebhook } from '../../../workflows/deliver-webhook.ts';
import { limiterQuery } from '../../../workflows/limiter/messages.ts';
import { createLimiters } from '../../../worker/limiters.ts';
import { aResult, audioHarness, refusal } from '../../helpers/audio-harness.ts';
import { until } from '../../helpers/until.ts';
import { anAudioJob } from '../../helpers/workflow-run.ts';

// A server for each test: a task that an earlier test left would hold up its time. It skips time only while a result is
// awaited, so what is looked at before does not change meanwhile.
const { attemptDelivery, fetchAudio, finishJob, nowMs, runAudio, withService } = audioHarness('skipping-anew');
const limits: RouteLimits = { maxAtOnce: 1, startsPerMinute: 600, firstPauseSeconds: 15, maxPauseSeconds: 900 };

interface WaitingMemo {
  readonly waiting?: { readonly reason: string; readonly until?: string };
}

describe('a platform that refuses', () => {
  it.each([
    ['a sign-in is asked for', 'sign_in_required', undefined, 60],
    ['a time is named', 'quota_exceeded', 3 * 3600, 3 * 3600],
  ] as const)('waits as long as is sensible when %s', async (_when, code, retryAfterSeconds, expected) => {
    let refusedMs = 0;
    fetchAudio.mockImplementationOnce(async () => {
      refusedMs = await nowMs();
      throw refusal(code, retryAfterSeconds && refusedMs + retryAfterSeconds * 1000);
    });
    const job = anAudioJob();
    await withService(
      async (client, taskQueue) => {
        const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
        const waiting = await until(async () => ((await handle.describe()).memo as WaitingMemo | undefined)?.waiting);
        const untilMs = Date.parse(waiting.until ?? '');
        expect(untilMs).toBeGreaterThanOrEqual(refusedMs + expected * 1000);
        expect(untilMs).toBeLessThanOrEqual((await nowMs()) + expected * 1000);
        await handle.result();
        expect(await nowMs()).toBeGreaterThanOrEqual(untilMs);
      },
      { limits },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(2);
  });
});

describe('a job', () => {
  it('asks again when its limiter has forgotten it', async () => {
    const startMs = await nowMs();
    const job = anAudioJob();
    let asks = 0;
    const fetchedMinutes: number[] = [];
    fetchAudio.mockImplementation(async () => {
      fetchedMinutes.push(((await nowMs()) - startMs) / 60_000);
      return aResult;
    });
    const taskQueue = `test-${job.mediaId}`;
    await withService(
      async (client) => {
        await client.workflow.execute(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
        // A task of it that no worker takes any more would hold up the time of later tests.
        await client.workflow.getHandle(limiterIdOf(taskQueue, 'page')).result();
      },
      {
        ...{ limits, taskQueue },
        change: (activities) => ({
          ...activities,
          askForTurn: (request) => {
            asks += 1;
            return asks > 1
              ? activities.askForTurn(request)
              : Promise.resolve({ limiterId: limiterIdOf(taskQueue, 'page') });
          },
        }),
      },
    );
    expect(asks).toBe(2);
    expect(fetchedMinutes).toHaveLength(1);
    expect(fetchedMinutes[0]).toBeGreaterThanOrEqual(5);
    expect(fetchedMinutes[0]).toBeLessThan(7);
  });

  it('gets the permit of one that has closed without giving it back', async () => {
    const job = anAudioJob();
    await withService(
      async (client, taskQueue) => {
        // Any workflow can be granted a permit; this one knows nothing of permits.
        const { recordId } = anAudioJob();
        const input = { deliveryId: `webhook/${recordId}/1`, recordId, url: 'https://example.com/' };
        let close = (): void => undefined;
        attemptDelivery.mockImplementation(() => new Promise((resolve) => (close = () => resolve('delivered'))));
        const stranger = await client.workflow.start(deliverWebhook, {
          ...{ workflowId: input.deliveryId, taskQueue, args: [input] as [typeof input] },
        });
        const asker = { turnId: 'x/1', workflowId: stranger.workflowId, runId: stranger.firstExecutionRunId };
        await until(() => attemptDelivery.mock.calls.length === 1);
        await createLimiters(client, taskQueue).request({ route: 'page', ...limits }, asker);
        const limiter = client.workflow.getHandle(limiterIdOf(taskQueue, 'page'));
        await until(async () => (await limiter.query(limiterQuery)).holders.length === 1);
        const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
        await until(async () => (await limiter.query(limiterQuery)).waiting === 1);
        expect(fetchAudio).not.toHaveBeenCalled();
        close();
        await handle.result();
      },
      { limits },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(1);
  });
});

describe('a limiter', () => {
  it('that nobody needs for a while ends, and a later job starts it anew', async () => {
    await withService(
      async (client, taskQueue) => {
        for (const job of [anAudioJob(), anAudioJob()]) {
          await client.workflow.execute(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
          const limiter = client.workflow.getHandle(limiterIdOf(taskQueue, 'page'));
          await limiter.result();
          expect((await limiter.describe()).status.name).toBe('COMPLETED');
        }
      },
      { limits },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(2);
  });
});

// The last: after a workflow that failed, the test server skips no more time.
it('a platform that refuses for a day makes a job fail, with the platform’s reason', async () => {
  const hourMs = 3_600_000;
  const startMs = await nowMs();
  fetchAudio.mockImplementation(async () => {
    throw refusal('quota_exceeded', (await nowMs()) + 10 * hourMs);
  });
  const endHours: number[] = [];
  finishJob.mockImplementation(async () => void endHours.push(((await nowMs()) - startMs) / hourMs));
  expect(await runAudio(anAudioJob())).toBeInstanceOf(WorkflowFailedError);
  expect(endHours).toHaveLength(1);
  expect(endHours[0]).toBeGreaterThanOrEqual(MAX_PAUSED_MS / hourMs);
  expect(endHours[0]).toBeLessThan(MAX_PAUSED_MS / hourMs + 0.5);
  expect(fetchAudio).toHaveBeenCalledTimes(3);
  expect(finishJob.mock.lastCall?.[0].outcome).toEqual({
    status: 'failed',
    failure: { code: 'quota_exceeded', message: 'It is quota_exceeded.' },
  });
}, 120_000);
