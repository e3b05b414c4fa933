import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { expect, inject, it } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { MEMO_JOB } from '../../contract/job-input.ts';
import { createRouteCommands } from '../../operator/routes/route-commands.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { aResult, audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { memoryBreakerStore, GENEROUS, routesWith } from '../helpers/breakers.ts';
import { until } from '../helpers/until.ts';
import { startWorkers } from '../helpers/workflow-run.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { fetchAudio, withService } = audioHarness('real');

it('starts activities at the rate of the route on two workers together', { timeout: 60_000 }, async () => {
  const limits = { ...GENEROUS, startsPerMinute: 120 };
  const taskQueue = `rate-${randomUUID()}`;
  const starts: number[] = [];
  fetchAudio.mockImplementation(() => {
    starts.push(performance.now());
    return Promise.resolve(aResult);
  });
  // Another process would have a connection of its own.
  const env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
  const activities = {
    records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
    fetch: { fetchAudio },
  };
  const other = await startWorkers({ env, bundle: await loadWorkflows(), activities, limits, taskQueue });
  await withService(
    async (client) => {
      const jobs = Array.from({ length: 16 }, () => anAudioJob());
      await Promise.all(
        jobs.map((job) => client.workflow.execute(audio, { workflowId: job.subjectId, taskQueue, args: [job] })),
      );
    },
    { limits, taskQueue },
  );
  await other.stop();
  await env.teardown();
  expect(starts).toHaveLength(16);
  // Two a second, after a burst of a few.
  expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(5_000);
});

it('adds no event to the history of a job that is refused again and again', { timeout: 60_000 }, async () => {
  const lengths: number[] = [];
  for (const refusals of [0, 4]) {
    for (let count = 0; count < refusals; count += 1) fetchAudio.mockRejectedValueOnce(refusal('rate_limited'));
    const job = anAudioJob();
    await withService(
      async (client, taskQueue) => {
        const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
        await handle.result();
        lengths.push((await handle.describe()).historyLength);
      },
      { limits: { ...GENEROUS, firstPauseSeconds: 1, maxPauseSeconds: 1 } },
    );
  }
  expect(fetchAudio).toHaveBeenCalledTimes(6);
  expect(lengths[1]).toBe(lengths[0]);
});

it('delays the jobs of a route that an operator pauses, which show why, until it is resumed', async () => {
  const store = memoryBreakerStore();
  const job = anAudioJob();
  const run = createRouteCommands(store, routesWith(GENEROUS));
  await run({ command: 'pause', args: ['page'], options: { reason: 'Repairs.' } });
  await withService(
    async (client, taskQueue, breakers) => {
      const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
      const handle = await client.workflow.start(audio, { ...options, memo: { [MEMO_JOB]: job } });
      const jobs = createJobGateway(client, taskQueue, breakers);
      const progress = await until(async () => {
        const status = await jobs.status(job);
        return status.state === 'running' && status.progress?.until !== undefined ? status.progress : undefined;
      });
      expect(progress).toMatchObject({ stage: 'waiting', reason: 'Repairs.' });
      // The activity fails once, so that operators see the reason, too.
      const failed = await until(async () => (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure);
      expect(failed.message).toBe('Repairs.');
      expect(fetchAudio).not.toHaveBeenCalled();
      await run({ command: 'resume', args: ['page'], options: {} });
      await handle.result();
    },
    { store },
  );
}, 120_000);

it('shows why an activity whose upstream failed waits, and until when', async () => {
  fetchAudio.mockRejectedValueOnce(refusal('upstream_error')).mockRejectedValueOnce(refusal('upstream_error'));
  const job = anAudioJob();
  await withService(async (client, taskQueue, breakers) => {
    const options = { workflowId: job.subjectId, taskQueue, args: [job] as [typeof job] };
    const handle = await client.workflow.start(audio, { ...options, memo: { [MEMO_JOB]: job } });
    const jobs = createJobGateway(client, taskQueue, breakers);
    const progress = await until(async () => {
      const status = await jobs.status(job);
      return status.state === 'running' && status.progress?.until !== undefined ? status.progress : undefined;
    });
    expect(progress).toMatchObject({ stage: 'waiting', reason: 'It is upstream_error.' });
    expect(Date.parse(progress.until ?? '')).toBeLessThan(Date.now() + 11_000);
    await handle.result();
  });
});
