import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { breakersOn } from '../helpers/breakers.ts';
import { audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { fetchAudio, attemptDelivery, withService } = audioHarness('real');
const gatewayOf = (client: Client, taskQueue: string) => createJobGateway(client, taskQueue, breakersOn());

it('shows a job that starts with a delay as waiting, and lets callers join it', async () => {
  const job = anAudioJob();
  const { subjectId, recordId } = job;
  await withService(async (client, taskQueue) => {
    const jobs = gatewayOf(client, taskQueue);
    const startedAt = performance.now();
    await jobs.start('audio', job, { delayMs: 1_500 });
    expect(await jobs.status({ subjectId, recordId })).toMatchObject({
      state: 'running',
      progress: { stage: 'waiting' },
    });
    const met = await jobs.start('audio', anAudioJob({ subjectId }));
    if (typeof met === 'string') throw new Error(`a second job was ${met}`);
    expect(met.running.recordId).toBe(recordId);
    expect(await jobs.subscribe({ subjectId, runId: met.runId }, 'https://a.example/hook', 'key')).toBe(true);
    expect(fetchAudio).not.toHaveBeenCalled();
    const ended = await client.workflow.getHandle(subjectId).result();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_400);
    expect(ended).toMatchObject({ recordId, status: 'success', webhooks: 1 });
    await expect.poll(() => attemptDelivery.mock.calls.length, { timeout: 20_000 }).toBe(1);
  });
});

it('cancels a job that starts with a delay at once', async () => {
  const job = anAudioJob();
  await withService(async (client, taskQueue) => {
    const jobs = gatewayOf(client, taskQueue);
    await jobs.start('audio', job, { delayMs: 600_000 });
    expect(await jobs.cancel({ subjectId: job.subjectId, recordId: job.recordId })).toBe(true);
    await expect(client.workflow.getHandle(job.subjectId).result()).rejects.toThrow('cancelled');
    expect(fetchAudio).not.toHaveBeenCalled();
  });
});

it('shows a job as waiting until a worker starts it', async () => {
  const job = anAudioJob();
  const { subjectId, recordId } = job;
  await withService(async (client, taskQueue) => {
    const jobs = gatewayOf(client, `${taskQueue}-nobody`);
    await jobs.start('audio', job, { delayMs: 300 });
    const handle = client.workflow.getHandle(subjectId);
    const hasBegun = async (): Promise<boolean> => Boolean((await handle.describe()).raw.pendingWorkflowTask);
    await expect.poll(hasBegun, { timeout: 20_000 }).toBe(true);
    const status = await jobs.status({ subjectId, recordId });
    expect(status).toMatchObject({ state: 'running', progress: { stage: 'waiting' } });
    await handle.terminate();
  });
});

describe('a job with not_before', () => {
  const later = (ms: number) => anAudioJob({ order: { notBefore: new Date(Date.now() + ms).toISOString() } });

  it('waits for that time, and says so', async () => {
    const job = later(2_500);
    await withService(async (client, taskQueue) => {
      const jobs = gatewayOf(client, taskQueue);
      await jobs.start('audio', job);
      const { notBefore: until } = job.order!;
      const waiting = { state: 'running', progress: { stage: 'waiting', until, reason: expect.any(String) as string } };
      await expect.poll(() => jobs.status(job, 0), { timeout: 20_000 }).toEqual(waiting);
      fetchAudio.mockImplementationOnce(() => Promise.reject(refusal('private')));
      await expect(client.workflow.getHandle(job.subjectId).result()).rejects.toThrow();
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until!));
    });
  });

  it('begins at once when another request wants it, and can be cancelled', async () => {
    const [wanted, cancelled, over] = [later(600_000), later(600_000), later(-1_000)];
    await withService(async (client, taskQueue) => {
      const jobs = gatewayOf(client, taskQueue);
      for (const job of [wanted, cancelled, over]) await jobs.start('audio', job);
      const { runId } = await client.workflow.getHandle(wanted.subjectId).describe();
      expect(await jobs.begin({ subjectId: wanted.subjectId, runId })).toBe(true);
      expect(await client.workflow.getHandle(wanted.subjectId).result()).toMatchObject({ status: 'success' });
      expect(await client.workflow.getHandle(over.subjectId).result()).toMatchObject({ status: 'success' });
      expect(await jobs.cancel(cancelled)).toBe(true);
      await expect(client.workflow.getHandle(cancelled.subjectId).result()).rejects.toThrow('cancelled');
      expect(fetchAudio).toHaveBeenCalledTimes(2);
    });
  });
});

it('gives jobs the priorities of their requests, and those of batches the lowest', async () => {
  const batchId = anAudioJob().recordId;
  const orders = [
    [{}, 3],
    [{ batchId }, 4],
    [{ order: { priority: 'interactive' } }, 2],
    [{ order: { priority: 'normal' }, batchId }, 3],
    [{ order: { priority: 'bulk' } }, 4],
  ] as const;
  await withService(async (client, taskQueue) => {
    const jobs = gatewayOf(client, taskQueue);
    for (const [order, priority] of orders) {
      const job = anAudioJob(order);
      await jobs.start('audio', job, { delayMs: 600_000 });
      const handle = client.workflow.getHandle(job.subjectId);
      expect((await handle.describe()).priority?.priorityKey).toBe(priority);
      await handle.terminate();
    }
  });
});
