import { ScheduleNotFoundError } from '@temporalio/client';
import { describe, expect, it, vi } from 'vitest';
import type { RetentionActivities } from '../../activities/retention.ts';
import { retentionScheduleId } from '../../contract/task-queues.ts';
import { arrangeRetention } from '../../worker/retention-schedule.ts';
import { retention } from '../../workflows/retention.ts';
import { until } from '../helpers/until.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';

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
  it('goes through all pages, then through what was left behind', async () => {
    const records = threePages();
    const sum = await withService({ activities: { records } }, (client, taskQueue) =>
      client.workflow.execute(retention, { workflowId: taskQueue, taskQueue, args: [{ retentionDays: 30 }] }),
    );
    expect(sum).toEqual({ seen: 30, expired: 6, orphans: 3 });
    expect(records.sweepFiles.mock.calls.map(([page]) => page)).toEqual([
      { retentionDays: 30 },
      { retentionDays: 30, after: '1' },
      { retentionDays: 30, after: '2' },
    ]);
    expect(records.sweepLeftovers).toHaveBeenCalledOnce();
  });

  it('is a schedule that every worker arranges, that changes with the setting and goes with it', async () => {
    const records = threePages();
    await withService({ activities: { records } }, async (client, taskQueue) => {
      const arrange = (retentionDays: number | undefined) => arrangeRetention(client, { taskQueue, retentionDays });
      const handle = client.schedule.getHandle(retentionScheduleId(taskQueue));
      await arrange(undefined);
      await Promise.all([arrange(30), arrange(30), arrange(30)]);
      await handle.pause('for a move');
      await arrange(7);
      // The server takes a change first and shows it later.
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

      await arrange(undefined);
      await expect(handle.describe()).rejects.toThrow(ScheduleNotFoundError);
      await arrange(undefined);
    });
  });
});
