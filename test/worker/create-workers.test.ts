import { Worker, type WorkerOptions, type WorkerStatus } from '@temporalio/worker';
import { afterEach, expect, it, vi } from 'vitest';
import type { Activities } from '../../activities/create-activities.ts';
import { createWorkers } from '../../worker/create-workers.ts';
import { breakersOn } from '../helpers/breakers.ts';

type Status = Pick<WorkerStatus, 'runState' | 'workflowPollerState' | 'activityPollerState'>;
const polling: Status = { runState: 'RUNNING', workflowPollerState: 'POLLING', activityPollerState: 'POLLING' };

afterEach(() => void vi.restoreAllMocks());

/** @returns how each queue is told to be by a worker of workflows and webhooks. @param statuses by names of queues */
async function statesOf(statuses: Readonly<Record<string, Status>>) {
  vi.spyOn(Worker, 'create').mockImplementation((options: WorkerOptions) => {
    const status = statuses[options.taskQueue];
    return Promise.resolve({ options, getStatus: () => status } as unknown as Worker);
  });
  const limits = { maxFetches: 4, maxSpeechWindows: 2, maxDeliveries: 100, shutdownGraceMs: 0 };
  const common = { roles: ['workflows', 'webhooks'], taskQueue: 'q', ...limits } as const;
  const { queues } = await createWorkers({
    ...{ ...common, breakers: breakersOn(), routes: [], namespace: 'default', bundle: { code: '', sourceMap: '' } },
    activities: { records: {}, fetch: {}, speech: {}, deliver: {} } as Activities,
    connection: undefined as never,
  });
  return queues();
}

it('a queue of workflows is polled while both its workflows and its activities are, any other by its activities', async () => {
  const webhooks: Status = { ...polling, workflowPollerState: 'SHUTDOWN' };
  const state = async (workflows: Status) => statesOf({ q: workflows, 'q-webhooks': webhooks });
  expect(await state(polling)).toEqual([
    { queue: 'q', state: 'polled' },
    { queue: 'q-webhooks', state: 'polled' },
  ]);
  const first = async (workflows: Status) => (await state(workflows))[0]?.state;
  expect(await first({ ...polling, workflowPollerState: 'SHUTDOWN' })).toBe('stopping');
  expect(await first({ ...polling, activityPollerState: 'SHUTDOWN' })).toBe('stopping');
  expect(await first({ ...polling, workflowPollerState: 'FAILED' })).toBe('failed');
  expect(await first({ ...polling, runState: 'INITIALIZED' })).toBe('starting');
});
