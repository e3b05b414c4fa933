import { randomUUID } from 'node:crypto';
import { ScheduleNotFoundError, WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import type { RetentionActivities } from '../../activities/retention.ts';
import { retentionScheduleId } from '../../runtime/temporal/task-queues.ts';
import { arrangeRetention } from '../../worker/retention-schedule.ts';
import { retention, type RetentionInput } from '../../workflows/retention.ts';
import { until } from '../helpers/until.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';

/** The schedule has its name from the queue, and one that was removed lives on for a moment. */
const ownQueue = (): string => `retention-${randomUUID()}`;
const confirmed = { retentionDays: 30, confirmedBy: 'the operator' };

// The server that skips time knows no schedules.
const { withService } = workflowBench('real');

const threePages = () => {
  const sweepFiles = vi.fn<RetentionActivities['sweepFiles']>(({ after = '0' }) => {
    const number = Number(after) + 1;
    const next = number < 3 ? { next: String(number) } : {};
    return Promise.resolve({ seen: 10, expired: 2, orphans: 1, ...next });
  });
  const sweepLeftovers = vi
    .fn<RetentionActivities['sweepLeftovers']>()
    .mockResolvedValue({ uploads: 0, workFolders: 0 });
  return { sweepFiles, sweepLeftovers };
};

describe('the retention of files', () => {
  it('sweeps all pages, and then the remains of dead attempts', async () => {
    const records = threePages();
    const sum = await withService({ activities: { records } }, (client, taskQueue) =>
      client.workflow.execute(retention, { workflowId: taskQueue, taskQueue, args: [confirmed] }),
    );
    expect(sum).toEqual({ seen: 30, expired: 6, orphans: 3 });
    expect(records.sweepFiles.mock.calls.map(([page]) => page)).toEqual([
      confirmed,
      { ...confirmed, after: '1' },
      { ...confirmed, after: '2' },
    ]);
    expect(records.sweepLeftovers).toHaveBeenCalledOnce();
  });

  it('continues with other data, kind by kind, also in a new run', async () => {
    const sweepKept = vi.fn<RetentionActivities['sweepKept']>(({ after }) =>
      Promise.resolve(after === undefined ? { removed: 500, next: 'id' } : { removed: 7 }),
    );
    const records = { ...threePages(), sweepKept };
    const input: RetentionInput = { ...confirmed, keepDays: { failed: 90, contents: 365 }, maxEvents: 10 };
    const sum = await withService({ activities: { records } }, (client, taskQueue) =>
      client.workflow.execute(retention, { workflowId: taskQueue, taskQueue, args: [input] }),
    );
    expect(sum).toEqual({ seen: 30, expired: 6, orphans: 3, removed: { contents: 507, failed: 507 } });
    const { confirmedBy } = confirmed;
    expect(sweepKept.mock.calls.map(([page]) => page)).toEqual([
      { kind: 'contents', days: 365, confirmedBy },
      { kind: 'contents', days: 365, confirmedBy, after: 'id' },
      { kind: 'failed', days: 90, confirmedBy },
      { kind: 'failed', days: 90, confirmedBy, after: 'id' },
    ]);
    expect(records.sweepFiles).toHaveBeenCalledTimes(3);
  });

  it('does not touch files if only other data has a retention period', async () => {
    const records = { ...threePages(), sweepKept: () => Promise.resolve({ removed: 1 }) };
    const sum = await withService({ activities: { records } }, (client, taskQueue) =>
      client.workflow.execute(retention, {
        ...{ workflowId: taskQueue, taskQueue },
        args: [{ keepDays: { snapshots: 30 }, confirmedBy: 'the operator' }],
      }),
    );
    expect(sum).toEqual({ seen: 0, expired: 0, orphans: 0, removed: { snapshots: 1 } });
    expect(records.sweepFiles).not.toHaveBeenCalled();
  });

  it('fails at once and removes nothing if neither a schedule of its queue nor a person started it', async () => {
    const records = threePages();
    await withService({ activities: { records } }, async (client, taskQueue) => {
      const error: unknown = await client.workflow
        .execute(retention, { workflowId: taskQueue, taskQueue, args: [{ retentionDays: 30 }] })
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((error as WorkflowFailedError).cause).toMatchObject({
        nonRetryable: true,
        message: expect.stringContaining('confirmedBy') as string,
      });
    });
    expect(records.sweepFiles).not.toHaveBeenCalled();
    expect(records.sweepLeftovers).not.toHaveBeenCalled();
  });

  it('has a schedule that every worker arranges, and that changes and ends with the setting', async () => {
    const records = threePages();
    await withService({ activities: { records }, taskQueue: ownQueue() }, async (client, taskQueue) => {
      const arrange = (retentionDays: number | undefined) =>
        arrangeRetention(client, { taskQueue, retentionDays, keepDays: {} });
      const handle = client.schedule.getHandle(retentionScheduleId(taskQueue));
      await arrange(undefined);
      await Promise.all([arrange(30), arrange(30), arrange(30)]);
      // The server takes a change first and makes it later: one of the three may come after the pause, and take it back.
      await until(
        async () => {
          await handle.pause('for a move');
          return (await handle.describe()).state.paused;
        },
        { what: 'the pause' },
      );
      await arrange(7);
      await vi.waitFor(
        async () => {
          const { action, state } = await handle.describe();
          expect(action).toMatchObject({ workflowType: 'retention', taskQueue, args: [{ retentionDays: 7 }] });
          expect(state).toMatchObject({ paused: true, note: 'for a move' });
        },
        { timeout: 20_000 },
      );

      await handle.unpause();
      await handle.trigger();
      await until(() => records.sweepLeftovers.mock.calls.length === 1, { what: 'the end of the sweep' });
      expect(records.sweepFiles).toHaveBeenCalledWith({ retentionDays: 7 });
      expect(records.sweepFiles).toHaveBeenCalledTimes(3);

      await arrange(undefined);
      await expect(handle.describe()).rejects.toThrow(ScheduleNotFoundError);
      await arrange(undefined);
    });
  });

  it.each(['as its schedule started it', 'as it was confirmed'])('continues in a new run %s', async (how) => {
    const records = threePages();
    await withService({ activities: { records }, taskQueue: ownQueue() }, async (client, taskQueue) => {
      const input = { retentionDays: 30, maxEvents: 1 };
      if (how === 'as it was confirmed') {
        const args: [RetentionInput] = [{ ...input, confirmedBy: 'the operator' }];
        await client.workflow.execute(retention, { workflowId: taskQueue, taskQueue, args });
      } else {
        const scheduleId = retentionScheduleId(taskQueue);
        const action = { type: 'startWorkflow', workflowType: retention, workflowId: scheduleId, taskQueue } as const;
        const handle = await client.schedule.create({ scheduleId, spec: {}, action: { ...action, args: [input] } });
        await handle.trigger();
        await until(() => records.sweepLeftovers.mock.calls.length === 1, { what: 'the end of the sweep' });
        await handle.delete();
      }
    });
    expect(records.sweepFiles.mock.calls.map(([{ after }]) => after)).toEqual([undefined, '1', '2']);
  });

  it('may not be started by another schedule', async () => {
    const records = threePages();
    await withService({ activities: { records }, taskQueue: ownQueue() }, async (client, taskQueue) => {
      const workflowId = `foreign-${taskQueue}`;
      const action = { type: 'startWorkflow', workflowType: retention, workflowId, taskQueue } as const;
      const handle = await client.schedule.create({
        scheduleId: workflowId,
        spec: {},
        action: { ...action, args: [{ retentionDays: 1 }] },
      });
      await handle.trigger();
      const started = await until(async () => (await handle.describe()).info.recentActions.at(0)?.action.workflow, {
        what: 'the run of the schedule',
      });
      await expect(client.workflow.getHandle(started.workflowId).result()).rejects.toThrow(WorkflowFailedError);
      await handle.delete();
    });
    expect(records.sweepFiles).not.toHaveBeenCalled();
  });
});
