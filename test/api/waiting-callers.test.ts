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

it('50 callers who wait for one job ask Temporal once each, and leave no listeners behind', async () => {
  const workflowId = `waited-for-${randomUUID()}`;
  const handle = await client.workflow.start('nothing', { workflowId, taskQueue: 'without-workers' });
  const asked = vi.spyOn(connection.workflowService, 'getWorkflowExecutionHistory');
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const stopping = new AbortController();
  const removed = vi.spyOn(stopping.signal, 'removeEventListener');
  const jobs = createJobGateway(client, 'without-workers', noPause);
  try {
    const waits = Array.from({ length: 50 }, () => jobs.waitFor({ subjectId: workflowId }, 1_500, stopping.signal));
    await Promise.all(waits);
    expect(asked).toHaveBeenCalledTimes(50);
    expect(removed).toHaveBeenCalledTimes(50);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
    asked.mockRestore();
    await handle.terminate();
  }
});

it('whoever waits is told when the job has closed', async () => {
  const workflowId = `closed-${randomUUID()}`;
  const handle = await client.workflow.start('nothing', { workflowId, taskQueue: 'without-workers' });
  const waiting = createJobGateway(client, 'without-workers', noPause).waitFor({ subjectId: workflowId }, 60_000);
  await handle.terminate();
  await waiting;
  expect((await handle.describe()).status.name).toBe('TERMINATED');
});

it('whoever waits for a run that has closed does not wait for the one after it', async () => {
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
  const asked = vi.spyOn(connection.workflowService, 'getWorkflowExecutionHistory');
  try {
    expect(await waitedFor(first.firstExecutionRunId, 60_000)).toBeLessThan(30_000);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await waitedFor(second.firstExecutionRunId, 3_000)).toBeGreaterThan(2_500);
  } finally {
    asked.mockRestore();
    await client.workflow.getHandle(workflowId).terminate();
  }
});
