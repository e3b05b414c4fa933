import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { audioHarness } from '../helpers/workflow-harness.ts';
import { until } from '../helpers/until.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { attemptDelivery, finishJob, withService } = audioHarness('real');

it('ends a job that an operator resets while its webhook still runs as before', async () => {
  const job = anAudioJob({ webhookUrl: 'https://example.com/hook' });
  let answer: (how: 'delivered') => void = () => undefined;
  attemptDelivery.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  await withService(async (client, taskQueue) => {
    const handle = await client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });
    const before = await handle.result();
    await until(() => attemptDelivery.mock.calls.length === 1, { what: 'the attempt' });
    const { events } = await handle.fetchHistory();
    const firstTask = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace: 'default', requestId: ulid(), reason: 'a test' },
      workflowExecution: { workflowId: handle.workflowId, runId: handle.firstExecutionRunId },
      // The job repeats all its steps.
      workflowTaskFinishEventId: firstTask.eventId!,
    });
    expect(await client.workflow.getHandle(job.subjectId).result()).toEqual(before);
    answer('delivered');
    expect(await client.workflow.getHandle(`webhook/${job.recordId}/1`).result()).toBe('delivered');
  });
  expect([finishJob.mock.calls.length, attemptDelivery.mock.calls.length]).toEqual([2, 1]);
});
