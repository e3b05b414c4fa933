import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { MEMO_JOB, type JobInput } from '../../contract/job-input.ts';
import type { Breakers } from '../../pacing/breakers.ts';
import { QUEUED } from '../../pacing/routes.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { subscribeSignal } from '../../workflows/lifecycle/messages.ts';
import { aResult, audioHarness, refusal } from '../helpers/workflow-harness.ts';
import type { RouteLimits } from '../helpers/breakers.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/jobs.ts';

// On the real server, with pauses of seconds instead of minutes.
const { finishJob, fetchAudio, withService } = audioHarness('real');
const limits: RouteLimits = { maxAtOnce: 4, startsPerMinute: 6_000, firstPauseSeconds: 3, maxPauseSeconds: 900 };
const REASON = 'It is rate_limited.';

const start = (client: Client, taskQueue: string, job: JobInput) =>
  client.workflow.start(audio, {
    ...{ workflowId: job.subjectId, taskQueue, args: [job] },
    memo: { [MEMO_JOB]: job },
  });

/** Waits until each job has a pending activity. */
const inQueue = (handles: readonly WorkflowHandle[]) =>
  until(async () => {
    const found = await Promise.all(handles.map((handle) => handle.describe()));
    return found.every(({ raw }) => (raw.pendingActivities ?? []).length === 1);
  });

/** Waits until the progress of the job shows that it waits, and why. */
async function waiting(client: Client, [taskQueue, breakers]: readonly [string, Breakers], job: JobInput) {
  const jobs = createJobGateway(client, taskQueue, breakers);
  return until(async () => {
    const status = await jobs.status(job);
    return status.state === 'running' && status.progress?.until !== undefined ? status.progress : undefined;
  });
}

describe('a platform that refuses for a while', () => {
  it(
    'fails no job, gets few requests meanwhile, and each job shows why and until when it waits',
    { timeout: 180_000 },
    async () => {
      let isRefusing = true;
      const calls: { readonly atMs: number; readonly isRefused: boolean }[] = [];
      fetchAudio.mockImplementation(() => {
        calls.push({ atMs: Date.now(), isRefused: isRefusing });
        return isRefusing ? Promise.reject(refusal('rate_limited')) : Promise.resolve(aResult);
      });
      const jobs = Array.from({ length: 12 }, () => anAudioJob());
      await withService(
        async (client, ...service) => {
          const handles = await Promise.all(jobs.map((job) => start(client, service[0], job)));
          for (const job of jobs) {
            expect(await waiting(client, service, job)).toMatchObject({ stage: 'waiting', reason: REASON });
          }
          isRefusing = false;
          await Promise.all(handles.map((handle) => handle.result()));
          for (const handle of handles) expect((await handle.describe()).memo ?? {}).not.toHaveProperty('waiting');
          expect(await service[1].of('page').open()).toBeUndefined();
        },
        { limits },
      );
      const refused = calls.filter((call) => call.isRefused);
      // At most four that ran at once, and a trial after 3, 9, 21 s and so on.
      const passedMs = (refused.at(-1)?.atMs ?? 0) - (refused[0]?.atMs ?? 0);
      const trials = Math.floor(Math.log2(passedMs / 1000 / limits.firstPauseSeconds + 1));
      expect(refused.length).toBeLessThanOrEqual(limits.maxAtOnce + trials);
      expect(calls).toHaveLength(refused.length + jobs.length);
      expect(finishJob.mock.calls.map(([{ outcome }]) => outcome.status)).toEqual(jobs.map(() => 'success'));
    },
  );
});

describe('jobs', () => {
  it('continue after all workers restart while they wait', async () => {
    const jobs = [anAudioJob(), anAudioJob(), anAudioJob()];
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    const setting = { limits: { ...limits, maxAtOnce: 1, firstPauseSeconds: 6 }, taskQueue: `test-${randomUUID()}` };
    await withService(async (client, ...service) => {
      for (const job of jobs) await start(client, service[0], job);
      for (const job of jobs) await waiting(client, service, job);
    }, setting);
    await withService(async (client) => {
      await Promise.all(jobs.map((job) => client.workflow.getHandle(job.subjectId).result()));
    }, setting);
    expect(fetchAudio).toHaveBeenCalledTimes(4);
  });

  it('that are cancelled while they wait leave the queue, and fail as cancelled', async () => {
    const [first, second] = [anAudioJob(), anAudioJob()];
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    await withService(
      async (client, ...service) => {
        const handles = [await start(client, service[0], first), await start(client, service[0], second)] as const;
        await waiting(client, service, first);
        await waiting(client, service, second);
        await client.workflow.getHandle(first.subjectId).cancel();
        await expect(handles[0].result()).rejects.toThrow(WorkflowFailedError);
        await handles[1].result();
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

  it('continue if the trial finds a private video, because the platform answers', async () => {
    const jobs = [anAudioJob(), anAudioJob()] as const;
    fetchAudio.mockRejectedValueOnce(refusal('rate_limited')).mockRejectedValueOnce(refusal('private'));
    await withService(
      async (client, ...service) => {
        const first = await start(client, service[0], jobs[0]);
        await waiting(client, service, jobs[0]);
        const second = await start(client, service[0], jobs[1]);
        const ends = await Promise.allSettled([first.result(), second.result()]);
        // Either of them is the trial.
        expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
    expect(fetchAudio).toHaveBeenCalledTimes(3);
  });

  it('continue although the platform refuses one of them forever', async () => {
    const [refused, other] = [anAudioJob(), anAudioJob()];
    fetchAudio.mockImplementation(({ recordId }) =>
      recordId === refused.recordId ? Promise.reject(refusal('rate_limited')) : Promise.resolve(aResult),
    );
    await withService(
      async (client, taskQueue) => {
        const handle = await start(client, taskQueue, refused);
        await until(() => fetchAudio.mock.calls.length > 0);
        await (await start(client, taskQueue, other)).result();
        await handle.terminate();
      },
      { limits: { ...limits, maxAtOnce: 1, firstPauseSeconds: 1 } },
    );
  });

  it('show why they wait long without a pause', async () => {
    let release = (): void => undefined;
    fetchAudio.mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(aResult))));
    const [first, second] = [anAudioJob(), anAudioJob()];
    await withService(
      async (client, ...service) => {
        const busy = await start(client, service[0], first);
        await inQueue([busy]);
        await until(() => fetchAudio.mock.calls.length > 0);
        const waits = await start(client, service[0], second);
        const jobs = createJobGateway(client, ...service);
        await until(async () => {
          const status = await jobs.status(second);
          return status.state === 'running' && status.progress?.reason === QUEUED;
        });
        release();
        await Promise.all([busy.result(), waits.result()]);
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
  });

  it('of a caller with many jobs do not delay the first job of another', async () => {
    const jobs = Array.from({ length: 40 }, () => anAudioJob({ chargedTo: 'many' }));
    const other = anAudioJob({ chargedTo: 'other' });
    let release = (): void => undefined;
    fetchAudio.mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(aResult))));
    await withService(
      async (client, taskQueue) => {
        const handles = await Promise.all(jobs.map((job) => start(client, taskQueue, job)));
        await inQueue(handles);
        const last = await start(client, taskQueue, other);
        await inQueue([last]);
        release();
        await Promise.all([...handles, last].map((handle) => handle.result()));
      },
      { limits: { ...limits, maxAtOnce: 1 } },
    );
    const order = fetchAudio.mock.calls.map(([{ recordId }]) => recordId);
    expect(order.indexOf(other.recordId)).toBeLessThan(jobs.length / 2);
  });

  it('do not show that they wait after their last activity has ended', async () => {
    const [job, unbegun] = [anAudioJob(), anAudioJob()];
    let release = (): void => undefined;
    fetchAudio.mockImplementationOnce(() => delay(200, aResult));
    finishJob.mockImplementationOnce(() => new Promise((resolve) => (release = resolve)));
    await withService(async (client, ...service) => {
      const jobs = createJobGateway(client, ...service);
      const handle = await start(client, service[0], job);
      await until(() => finishJob.mock.calls.length > 0);
      expect(await jobs.status(job)).toEqual({ state: 'running', progress: { stage: 'publishing' } });
      release();
      await handle.result();
      // No worker has taken it: it waits, however many join it.
      const waits = await start(client, `nobody-${randomUUID()}`, unbegun);
      await delay(100);
      for (const path of ['a', 'b', 'c']) await waits.signal(subscribeSignal, `https://example.com/${path}`);
      expect(await jobs.status(unbegun)).toEqual({ state: 'running', progress: { stage: 'waiting' } });
      await waits.terminate();
    });
  });

  it('have few events', async () => {
    const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
    await withService(async (client, taskQueue) => {
      const handle = await start(client, taskQueue, job);
      await handle.result();
      const delivery = client.workflow.getHandle(`webhook/${job.recordId}/1`);
      await delivery.result();
      const events = [await handle.fetchHistory(), await delivery.fetchHistory()].map(
        (history) => history.events?.length ?? 0,
      );
      expect(events.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(32);
    });
  });
});
