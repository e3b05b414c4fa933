import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { JobInput } from '../../../contract/jobs.ts';
import { limiterIdOf, type RouteLimits } from '../../../runtime/pacing.ts';
import { audio } from '../../../workflows/audio.ts';
import { limiter, type LimiterInput } from '../../../workflows/limiter/limiter.ts';
import { limiterQuery } from '../../../workflows/limiter/messages.ts';
import { createLimiters } from '../../../worker/limiters.ts';
import { progressQuery } from '../../../workflows/messages.ts';
import { aResult, audioHarness, refusal } from '../../helpers/audio-harness.ts';
import { until } from '../../helpers/until.ts';
import { anAudioJob } from '../../helpers/workflow-run.ts';

// On the real server, with pauses of seconds instead of minutes.
const { finishJob, fetchAudio, withService } = audioHarness('real');
const limits: RouteLimits = { maxAtOnce: 4, startsPerMinute: 6_000, firstPauseSeconds: 3, maxPauseSeconds: 900 };
const REASON = 'It is rate_limited.';

interface WaitingMemo {
  readonly waiting?: { readonly reason: string; readonly until?: string };
}
const isFuture = (iso = ''): boolean => Date.parse(iso) > Date.now();

describe('a platform that refuses for a while', () => {
  it(
    'makes no job fail, is hardly asked meanwhile, and each job says why it waits and until when',
    { timeout: 60_000 },
    async () => {
      let isRefusing = true;
      const calls: { readonly atMs: number; readonly recordId: string; readonly isRefused: boolean }[] = [];
      fetchAudio.mockImplementation(({ recordId }) => {
        calls.push({ atMs: Date.now(), recordId, isRefused: isRefusing });
        return isRefusing ? Promise.reject(refusal('rate_limited')) : Promise.resolve(aResult);
      });
      const jobs = Array.from({ length: 12 }, () => anAudioJob());
      await withService(
        async (client, taskQueue) => {
          const handles = [];
          for (const job of jobs) {
            handles.push(await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] }));
          }
          const looks = handles.map(async (handle) => {
            await until(async () => {
              const { stage, waiting } = await handle.query(progressQuery);
              return stage === 'waiting' && waiting?.reason === REASON && isFuture(waiting.until);
            });
            await until(async () => {
              const { waiting } = ((await handle.describe()).memo ?? {}) as WaitingMemo;
              return waiting?.reason === REASON && isFuture(waiting.until);
            });
          });
          await Promise.all(looks);
          const limiter = client.workflow.getHandle(limiterIdOf(taskQueue, 'page'));
          expect((await limiter.describe()).memo).toMatchObject({ paused: { reason: REASON } });
          isRefusing = false;

          await Promise.all(handles.map((handle) => handle.result()));
          for (const handle of handles) expect((await handle.describe()).memo ?? {}).not.toHaveProperty('waiting');
          expect((await limiter.describe()).memo ?? {}).not.toHaveProperty('paused');
        },
        { limits },
      );
      const refused = calls.filter((call) => call.isRefused);
      // At most four that ran at once, and a probe after 3, 9, 21 s and so on.
      const passedMs = (refused.at(-1)?.atMs ?? 0) - (refused[0]?.atMs ?? 0);
      const probes = Math.floor(Math.log2(passedMs / 1000 / limits.firstPauseSeconds + 1));
      expect(refused.length).toBeLessThanOrEqual(limits.maxAtOnce + probes);
      expect(calls).toHaveLength(refused.length + jobs.length);
      // Who was refused has the permit before those who never had one.
      const [probe] = calls.slice(refused.length);
      expect(refused.map(({ recordId }) => recordId)).toContain(probe?.recordId);
      expect(finishJob.mock.calls.map(([{ outcome }]) => outcome.status)).toEqual(jobs.map(() => 'success'));
    },
  );
});

describe('jobs', () => {
  const start = (client: TestWorkflowEnvironment['client'], taskQueue: string, job: JobInput) =>
    client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
  const paused = (client: TestWorkflowEnvironment['client'], job: JobInput) =>
    until(async () => {
      const { memo } = await client.workflow.getHandle(job.subjectId).describe();
      return (memo as WaitingMemo | undefined)?.waiting?.until;
    });

  it('go on when all workers restart while they wait', async () => {
    const jobs = [anAudioJob(), anAudioJob(), anAudioJob()];
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    const taskQueue = `test-${randomUUID()}`;
    const setting = { limits: { ...limits, maxAtOnce: 1, firstPauseSeconds: 4 }, taskQueue };
    await withService(async (client) => {
      for (const job of jobs) await start(client, taskQueue, job);
      for (const job of jobs) await paused(client, job);
    }, setting);
    await withService(async (client) => {
      await Promise.all(jobs.map((job) => client.workflow.getHandle(job.subjectId).result()));
    }, setting);
    expect(fetchAudio).toHaveBeenCalledTimes(4);
  });

  it('notice nothing when the limiter continues as a new run, in the middle of a pause too', async () => {
    const jobs = Array.from({ length: 8 }, () => anAudioJob());
    let atOnce = 0;
    let most = 0;
    let calls = 0;
    fetchAudio.mockImplementation(async () => {
      const call = (calls += 1);
      most = Math.max(most, (atOnce += 1));
      await delay(100);
      atOnce -= 1;
      if (call === 4) throw refusal('rate_limited');
      return aResult;
    });
    const few: RouteLimits = { ...limits, maxAtOnce: 2, firstPauseSeconds: 2 };
    await withService(
      async (client, taskQueue) => {
        const input: LimiterInput = { limits: few, maxEvents: 30 };
        const first = await client.workflow.start(limiter, {
          ...{ workflowId: limiterIdOf(taskQueue, 'page'), taskQueue, args: [input] as [LimiterInput] },
        });
        const handles = await Promise.all(jobs.map((job) => start(client, taskQueue, job)));
        await Promise.all(handles.map((handle) => handle.result()));
        const ended = await client.workflow.getHandle(first.workflowId, first.firstExecutionRunId).describe();
        expect(ended.status.name).toBe('CONTINUED_AS_NEW');
        const now = await client.workflow.getHandle(first.workflowId).query(limiterQuery);
        expect(now).toMatchObject({ limits: few, holders: [], waiting: 0 });
        expect(now.pause).toBeUndefined();
      },
      { limits: few },
    );
    expect(most).toBe(2);
    expect(calls).toBe(9);
  });

  it('that are cancelled while they wait leave the queue, and fail as cancelled', async () => {
    const [first, second] = [anAudioJob(), anAudioJob()];
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    await withService(
      async (client, taskQueue) => {
        const handles = [await start(client, taskQueue, first), await start(client, taskQueue, second)] as const;
        await paused(client, first);
        await paused(client, second);
        await handles[0].cancel();
        await expect(handles[0].result()).rejects.toThrow(WorkflowFailedError);
        await handles[1].result();
        const view = await client.workflow.getHandle(limiterIdOf(taskQueue, 'page')).query(limiterQuery);
        expect(view).toMatchObject({ holders: [], waiting: 0 });
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(2);
    const outcomes = finishJob.mock.calls.map(([{ recordId, outcome }]) => ({ recordId, ...outcome }));
    expect(outcomes).toEqual([
      expect.objectContaining({ recordId: first.recordId, failure: expect.objectContaining({ code: 'cancelled' }) }),
      expect.objectContaining({ recordId: second.recordId, status: 'success' }),
    ]);
  });

  it('go on when the probe finds a private video: the platform answers', async () => {
    const [first, second] = [anAudioJob(), anAudioJob()];
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited')).mockRejectedValueOnce(refusal('private'));
    await withService(
      async (client, taskQueue) => {
        const probe = await start(client, taskQueue, first);
        await paused(client, first);
        const other = await start(client, taskQueue, second);
        await expect(probe.result()).rejects.toThrow(WorkflowFailedError);
        await other.result();
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
    expect(fetchAudio.mock.calls.map(([{ recordId }]) => recordId)).toEqual([
      ...[first.recordId, first.recordId, second.recordId],
    ]);
  });

  it('that have closed are known as such', async () => {
    const job = anAudioJob();
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    await withService(
      async (client, taskQueue) => {
        const handle = await start(client, taskQueue, job);
        const limiters = createLimiters(client, taskQueue);
        const asker = { turnId: 'x/1', workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
        await paused(client, job);
        expect([await limiters.isOpen(asker), await limiters.notify(asker, { state: 'open' })]).toEqual([true, true]);
        await handle.terminate();
        expect([await limiters.isOpen(asker), await limiters.notify(asker, { state: 'open' })]).toEqual([false, false]);
        // The grant of its permit fails, and leaves nothing behind.
        await until(async () => {
          const view = await client.workflow.getHandle(limiterIdOf(taskQueue, 'page')).query(limiterQuery);
          return view.holders.length + view.waiting === 0;
        });
      },
      { limits: { ...limits, firstPauseSeconds: 1 } },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(1);
  });
});

describe('a job', () => {
  const waiting = async (handle: { describe(): Promise<{ memo?: unknown }> }) =>
    ((await handle.describe()).memo as WaitingMemo | undefined)?.waiting;

  it('that waits for a permit without a pause says so when it takes long', async () => {
    const [first, second] = [anAudioJob(), anAudioJob()];
    await withService(
      async (client, taskQueue) => {
        let release = (): void => undefined;
        fetchAudio.mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(aResult))));
        const start = (job: JobInput) =>
          client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
        const holder = await start(first);
        await until(() => fetchAudio.mock.calls.length === 1);
        const handle = await start(second);
        const shown = await until(() => waiting(handle), { within: 40_000 });
        expect(shown.reason).toMatch(/^Waiting for a turn/);
        expect(shown.until).toBeUndefined();
        release();
        await Promise.all([holder.result(), handle.result()]);
        expect(await waiting(handle)).toBeUndefined();
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
    // The wait is shown after 10 s of real time.
  }, 60_000);
});
