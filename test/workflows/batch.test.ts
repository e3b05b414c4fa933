import { ulid } from 'ulid';
import { describe, expect, it, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import { ApplicationFailure } from '@temporalio/common';
import type { ListingOrder } from '../../activities/batches/list-source.ts';
import type { BatchAdvance } from '../../activities/batches/advance-batch.ts';
import type { BatchStatus } from '../../contract/batches/batch-state.ts';
import { batch, type BatchInput } from '../../workflows/batches/run-batch.ts';
import { resumeSignal } from '../../workflows/lifecycle/messages.ts';
import { routeNamesOf } from '../../pacing/routes.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';
import { until } from '../helpers/until.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';

const { withService, nowMs } = workflowBench('skipping');

const TALKS = 'https://www.youtube.com/@evening-talks';
const over: BatchAdvance = { running: 0, changed: 1, isOver: true };
const advanceWith = (running: number, more: Partial<BatchAdvance> = {}): BatchAdvance => ({
  ...{ running, changed: 1, isOver: false },
  ...more,
});

function service(advances: readonly BatchAdvance[], { isListed = false } = {}) {
  const left = [...advances];
  const advanceBatch = vi.fn<Activities['records']['advanceBatch']>(() => Promise.resolve(left.shift() ?? over));
  const setBatchStatus = vi.fn<Activities['records']['setBatchStatus']>().mockResolvedValue();
  const attemptDelivery = vi.fn<Activities['deliver']['attemptDelivery']>().mockResolvedValue('delivered');
  const order: ListingOrder = { url: TALKS, use: 'vidnet-page', routes: routeNamesOf(routesWith(GENEROUS)) };
  const beginBatch = vi.fn<Activities['records']['beginBatch']>().mockResolvedValue(isListed ? order : undefined);
  const listBatch = vi.fn<Activities['fetch']['listBatch']>().mockResolvedValue({});
  const activities = {
    records: { advanceBatch, setBatchStatus, beginBatch },
    fetch: { listBatch },
    deliver: { attemptDelivery },
  };
  return {
    ...{ beginBatch, listBatch, activities, advanceBatch, attemptDelivery, setBatchStatus },
    modes: () => advanceBatch.mock.calls.map(([{ mode }]) => mode),
    statuses: (): BatchStatus[] => setBatchStatus.mock.calls.map(([{ status }]) => status),
  };
}

const anInput = (more: Partial<BatchInput> = {}): BatchInput => ({
  ...{ batchId: ulid(), startedBy: 'anonymous', end: 1 },
  ...more,
});

describe('the workflow of a batch', () => {
  // The first one: after a delivery, which outlives its parent, the server skips no more time.
  it('advances less often while nothing changes, and checks for workflows that are gone', async () => {
    const quiet = Array.from({ length: 44 }, () => advanceWith(1, { changed: 0 }));
    const { activities, advanceBatch } = service([...quiet, over]);
    const input = anInput();
    const began = await nowMs();
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      await (await client.workflow.start(batch, options)).result();
    });
    expect((await nowMs()) - began).toBeGreaterThan(14 * 10_000);
    expect(advanceBatch.mock.calls.filter(([{ isThorough }]) => isThorough)).toHaveLength(2);
  });

  it('advances again without a wait after a change', async () => {
    const quiet = advanceWith(1, { changed: 0 });
    const { activities } = service([advanceWith(1), advanceWith(1), advanceWith(1), quiet, over]);
    const input = anInput();
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      const handle = await client.workflow.start(batch, options);
      await handle.result();
      const { events } = await handle.fetchHistory();
      expect(events?.filter((event) => event.timerStartedEventAttributes)).toHaveLength(1);
    });
  });

  it('advances until all items have ended, and sends one webhook', async () => {
    const { activities, attemptDelivery, ...seen } = service([advanceWith(2), advanceWith(1), over]);
    const input = anInput({ webhookUrl: 'https://example.com/hook' });
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      expect(await (await client.workflow.start(batch, options)).result()).toBe('finished');
      await client.workflow.getHandle(`webhook/${input.batchId}/1`).result();
    });
    expect(seen.modes()).toEqual(['start', 'start', 'start']);
    expect(seen.statuses()).toEqual(['finished']);
    expect(attemptDelivery).toHaveBeenCalledOnce();
    expect(attemptDelivery.mock.calls[0]![0]).toMatchObject({ recordId: input.batchId, attempt: 1 });
  });

  it('pauses when the next item cannot be paid and no job runs, and continues when it is resumed', async () => {
    const short = { blocked: 'insufficient_credit' } as const;
    const { activities, ...seen } = service([advanceWith(1, short), advanceWith(0, short), advanceWith(1), over]);
    const input = anInput();
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      const handle = await client.workflow.start(batch, options);
      await until(() => Promise.resolve(seen.statuses().includes('paused') || undefined));
      await handle.signal(resumeSignal);
      expect(await handle.result()).toBe('finished');
    });
    expect(seen.statuses()).toEqual(['paused', 'running', 'finished']);
    expect(seen.setBatchStatus.mock.calls[0]![0].pause).toBe('insufficient_credit');
    expect(seen.modes()).toEqual(['start', 'start', 'start', 'start']);
  });

  it('cancels the items when it is cancelled, also while it is paused', async () => {
    const short = { blocked: 'max_cost' } as const;
    const { activities, ...seen } = service([advanceWith(0, short), advanceWith(1), over]);
    const input = anInput();
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      const handle = await client.workflow.start(batch, options);
      await until(() => Promise.resolve(seen.statuses().includes('paused') || undefined));
      await handle.cancel();
      expect(await handle.result()).toBe('cancelled');
    });
    expect(seen.modes()).toEqual(['start', 'cancel', 'cancel']);
    expect(seen.statuses()).toEqual(['paused', 'cancelling', 'cancelled']);
  });

  it('reads its list first, and only once', async () => {
    const { activities, ...seen } = service([over], { isListed: true });
    const input = anInput();
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      expect(await (await client.workflow.start(batch, options)).result()).toBe('finished');
      seen.beginBatch.mockResolvedValue(undefined);
      expect(await (await client.workflow.start(batch, options)).result()).toBe('finished');
    });
    expect(seen.listBatch).toHaveBeenCalledExactlyOnceWith({ batchId: input.batchId });
    expect(seen.statuses()).toEqual(['running', 'finished', 'finished']);
  });

  it('fails when its list cannot be read, and sends the webhook', async () => {
    const { activities, ...seen } = service([], { isListed: true });
    const failure = { code: 'removed', message: 'The channel was removed or does not exist.' } as const;
    seen.listBatch.mockRejectedValue(
      ApplicationFailure.create({
        message: failure.message,
        type: 'subject',
        nonRetryable: true,
        details: ['removed'],
      }),
    );
    const input = anInput({ webhookUrl: 'https://example.com/hook' });
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      expect(await (await client.workflow.start(batch, options)).result()).toBe('failed');
      await client.workflow.getHandle(`webhook/${input.batchId}/1`).result();
    });
    expect(seen.setBatchStatus.mock.calls.at(-1)![0]).toEqual({ batchId: input.batchId, status: 'failed', failure });
    expect(seen.advanceBatch).not.toHaveBeenCalled();
  });

  it('continues in a new run before its history is long, without a new beginning', async () => {
    const { activities, ...seen } = service([advanceWith(3), advanceWith(2), advanceWith(1), over]);
    const input = anInput({ maxEvents: 15, isRetry: true });
    await withService({ activities }, async (client, taskQueue) => {
      const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
      const handle = await client.workflow.start(batch, options);
      expect(await handle.result()).toBe('finished');
      const { runId } = await client.workflow.getHandle(options.workflowId).describe();
      expect(runId).not.toBe(handle.firstExecutionRunId);
    });
    expect(seen.beginBatch).toHaveBeenCalledExactlyOnceWith({ batchId: input.batchId, isRetry: true });
    expect(seen.statuses()).toEqual(['finished']);
  });
});
