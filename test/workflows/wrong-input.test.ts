import { ActivityFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { RetentionActivities } from '../../activities/retention.ts';
import { createJobGateway } from '../../api/job-gateway.ts';
import { registerSearchAttributes } from '../../runtime/temporal/search-attributes.ts';
import * as workflows from '../../workflows/index.ts';
import { progressQuery } from '../../workflows/lifecycle/messages.ts';
import { breakersOn } from '../helpers/breakers.ts';
import { aResult } from '../helpers/workflow-harness.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';
import { anAudioJob } from '../helpers/jobs.ts';

// Anyone who reaches Temporal can start and signal workflows with any input. Only a real server accepts any payload.
const { connection, withService } = workflowBench('real');
beforeAll(() => registerSearchAttributes(connection(), 'default'));

const causeOf = async (handle: WorkflowHandle): Promise<unknown> => {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  return (error as WorkflowFailedError).cause;
};

/** @returns the refusal by the workflow itself or by its first activity */
const refusalIn = async (handle: WorkflowHandle): Promise<unknown> => {
  const cause = await causeOf(handle);
  return cause instanceof ActivityFailure ? cause.cause : cause;
};

describe('a workflow with invalid input', () => {
  it('fails at once, without a retry and before it acts', async () => {
    const untouched = vi.fn(() => Promise.reject(new Error('it has acted')));
    const records = { claimJob: untouched, sweepFiles: untouched, sweepLeftovers: untouched };
    const activities = { records, deliver: { attemptDelivery: untouched } };
    const wrong = { recordId: '../..', retentionDays: -1, confirmedBy: 'me', url: 'file:///etc/passwd' };
    const wrongs = [[], ['x'], [{}], [wrong], [{ ...wrong, version: 1 }], [wrong, wrong]];
    await withService({ activities }, async (client, taskQueue) => {
      const started = Object.keys(workflows).flatMap((name) => wrongs.map((args) => [name, args] as const));
      for (const [name, args] of started) {
        const handle = await client.workflow.start(name, { workflowId: ulid(), taskQueue, args: [...args] });
        // The confirmation is checked first.
        const isUnconfirmed = name === 'retention' && JSON.stringify(args) === '[{}]';
        expect([name, args, await refusalIn(handle)]).toMatchObject([
          ...[name, args],
          isUnconfirmed
            ? { type: 'unconfirmed' }
            : { type: 'invalid-input', nonRetryable: true, message: expect.stringMatching(/ refuses its input: \w/) },
        ]);
      }
    });
    expect(untouched).not.toHaveBeenCalled();
  }, 120_000);

  it('fails with the name of the field', async () => {
    await withService(
      { activities: { records: { claimJob: () => Promise.resolve('claimed') } } },
      async (client, taskQueue) => {
        const job = { ...anAudioJob(), mediaId: '../secret' };
        const handle = await client.workflow.start('audio', { workflowId: ulid(), taskQueue, args: [job] });
        expect(await refusalIn(handle)).toMatchObject({
          message: expect.stringMatching(/^audio refuses its input: mediaId: must be a video id/) as string,
        });
      },
    );
  });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an unreadable payload', () => {
  it.each([
    ['of an unknown encoding', { metadata: { encoding: bytes('secret') }, data: bytes('x') }],
    ['that is no JSON', { metadata: { encoding: bytes('json/plain') }, data: bytes('{{') }],
    ['without anything', {}],
  ])('%s ends a new workflow, and is ignored as a signal', async (_what, payload) => {
    const claimJob = (): Promise<'claimed'> => Promise.resolve('claimed');
    await withService({ activities: { records: { claimJob } } }, async (client, taskQueue) => {
      const [namespace, input] = ['default', { payloads: [payload] }];
      const { workflowService: server } = client;
      const workflow = { workflowId: ulid(), workflowType: { name: 'audio' }, taskQueue: { name: taskQueue } };
      await server.startWorkflowExecution({ namespace, input, requestId: ulid(), ...workflow });
      expect(await causeOf(client.workflow.getHandle(workflow.workflowId))).toMatchObject({ type: 'invalid-input' });

      const job = anAudioJob();
      const handle = await client.workflow.start('audio', { workflowId: ulid(), taskQueue, args: [job] });
      for (const signalName of ['subscribe', 'unknown']) {
        const workflowExecution = { workflowId: handle.workflowId };
        await server.signalWorkflowExecution({ namespace, input, workflowExecution, signalName });
      }
      expect(await handle.query(progressQuery)).toHaveProperty('stage');
      await handle.terminate();
    });
  });
});

describe('an activity', () => {
  it('refuses invalid input before it acts, and its workflow fails', async () => {
    const sweepFiles = vi
      .fn<RetentionActivities['sweepFiles']>()
      .mockResolvedValue({ seen: 0, expired: 0, orphans: 0, next: 'x'.repeat(3_000) });
    await withService({ activities: { records: { sweepFiles } } }, async (client, taskQueue) => {
      const args = [{ retentionDays: 30, confirmedBy: 'the operator' }];
      const handle = await client.workflow.start('retention', { workflowId: ulid(), taskQueue, args });
      expect(await causeOf(handle)).toMatchObject({
        cause: { type: 'invalid-input', message: expect.stringMatching(/^sweepFiles .* after: /) as string },
      });
    });
    expect(sweepFiles).toHaveBeenCalledOnce();
  });
});

describe('invalid signals', () => {
  const garbage = [[], [null], ['x'], [42], [[]], [{}], [{ url: 1 }]];
  const SIGNALS = ['subscribe', 'unknown'];
  const shower = async (handle: WorkflowHandle): Promise<void> => {
    for (const name of SIGNALS) for (const args of garbage) await handle.signal(name, ...args);
  };

  it('are ignored by a job, which continues and succeeds', async () => {
    const job = anAudioJob();
    const attemptDelivery = vi.fn(() => Promise.resolve('delivered' as const));
    let isOver = false;
    const fetchAudio = vi.fn(async () => {
      await vi.waitUntil(() => isOver, { timeout: 30_000 });
      return aResult;
    });
    const activities = {
      records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
      ...{ fetch: { fetchAudio }, deliver: { attemptDelivery } },
    };
    await withService({ activities }, async (client, taskQueue) => {
      const handle = await client.workflow.start('audio', { workflowId: job.subjectId, taskQueue, args: [job] });
      await shower(handle);
      expect(await handle.query(progressQuery)).toHaveProperty('stage');
      isOver = true;
      await handle.result();
    });
    expect(attemptDelivery).not.toHaveBeenCalled();
  });
});

describe('a foreign workflow with the ID of a subject', () => {
  it('cannot be joined, cancelled or shown as a job', async () => {
    const job = anAudioJob();
    await withService({ activities: { records: {} } }, async (client, taskQueue) => {
      // No worker polls this queue, so the workflow stays open.
      const foreign = { workflowId: job.subjectId, taskQueue: `${taskQueue}-nobody`, args: [] };
      const handle = await client.workflow.start('deliverWebhook', foreign);
      const jobs = createJobGateway(client, taskQueue, breakersOn());
      const one = { subjectId: job.subjectId, recordId: job.recordId };
      await expect(jobs.start('audio', job)).rejects.toMatchObject({ code: 'unavailable' });
      expect([await jobs.cancel(one), await jobs.status(one)]).toEqual([false, { state: 'gone' }]);
      await handle.terminate();
    });
  });
});
