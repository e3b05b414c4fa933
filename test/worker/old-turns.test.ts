import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { limiterIdOf } from '../../runtime/pacing.ts';
import { keepEndingLimiters } from '../../worker/old-turns.ts';
import { until } from '../helpers/until.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
});
afterAll(() => env.teardown());

it('limiters of the older version are ended, also those that its workers start later, and their jobs let go on', async () => {
  // No worker serves it: nobody has the code of limiters any more.
  const taskQueue = `test-${randomUUID()}`;
  const { workflow } = env.client;
  const ended: number[] = [];
  const onError = (error: unknown): never => {
    throw error;
  };
  const limiters = keepEndingLimiters(env.client, {
    ...{ taskQueue, everyMs: 500, onError },
    onEnded: (count) => ended.push(count),
  });
  for (const round of [1, 2]) {
    const job = await workflow.start('audio', { workflowId: ulid(), taskQueue });
    const asker = { turnId: `${job.workflowId}/1`, workflowId: job.workflowId, runId: job.firstExecutionRunId };
    const limiter = await workflow.signalWithStart('limiter', {
      ...{ workflowId: limiterIdOf(taskQueue, 'vidnet'), taskQueue, args: [{ route: 'vidnet' }] },
      ...{ signal: 'ask', signalArgs: [{ asker, limits: {} }] },
    });
    await until(async () => (await limiter.describe()).status.name === 'TERMINATED');
    const { events } = await job.fetchHistory();
    const signals = events?.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []) ?? [];
    expect(signals.map(({ signalName }) => signalName)).toEqual(['turnGranted']);
    expect(new TextDecoder().decode(signals[0]?.input?.payloads?.[0]?.data ?? undefined)).toContain(asker.turnId);
    await until(() => ended.length === round);
    await job.terminate();
  }
  limiters.stop();
});
