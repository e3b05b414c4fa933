import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { createJobGateway } from '../../api/job-gateway.ts';
import { breakersOn } from '../helpers/breakers.ts';

let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporalAddress') });
  client = new Client({ connection });
});
afterAll(() => connection.close());

const noPause = breakersOn();

it('50 callers that wait for one job call Temporal once each, and leave no listeners', async () => {
  const workflowId = `waited-for-${randomUUID()}`;
  const handle = await client.workflow.start('nothing', { workflowId, taskQueue: 'without-workers' });
  const calls = vi.spyOn(connection.workflowService, 'getWorkflowExecutionHistory');
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const stopping = new AbortController();
  const removed = vi.spyOn(stopping.signal, 'removeEventListener');
  const jobs = createJobGateway(client, 'without-workers', noPause);
  try {
    const waits = Array.from({ length: 50 }, () => jobs.waitFor({ subjectId: workflowId }, 1_500, stopping.signal));
    await Promise.all(waits);
    expect(calls).toHaveBeenCalledTimes(50);
    expect(removed).toHaveBeenCalledTimes(50);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
    calls.mockRestore();
    await handle.terminate();
  }
});

it('a waiting caller is answered when the job has closed', async () => {
  const workflowId = `closed-${randomUUID()}`;
  const handle = await client.workflow.start('nothing', { workflowId, taskQueue: 'without-workers' });
  const waiting = createJobGateway(client, 'without-workers', noPause).waitFor({ subjectId: workflowId }, 60_000);
  await handle.terminate();
  await waiting;
  expect((await handle.describe()).status.name).toBe('TERMINATED');
});

it('a caller that waits for a closed run does not wait for the next run', async () => {
  const workflowId = `run-again-${randomUUID()}`;
  const start = () => client.workflow.start('nothing', { workflowId, taskQueue: 'without-workers' });
  const first = await start();
  await first.terminate();
  const second = await start();
  const jobs = createJobGateway(client, 'without-workers', noPause);
  const waitedFor = async (runId: string, waitMs: number): Promise<number> => {
    const startedMs = performance.now();
    await jobs.waitFor({ subjectId: workflowId, runId }, waitMs);
    return performance.now() - startedMs;
  };
  const calls = vi.spyOn(connection.workflowService, 'getWorkflowExecutionHistory');
  try {
    expect(await waitedFor(first.firstExecutionRunId, 60_000)).toBeLessThan(30_000);
    expect(calls).toHaveBeenCalledTimes(1);
    expect(await waitedFor(second.firstExecutionRunId, 3_000)).toBeGreaterThan(2_500);
  } finally {
    calls.mockRestore();
    await client.workflow.getHandle(workflowId).terminate();
  }
});
