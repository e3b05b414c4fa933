import type { WorkflowHandle } from '@temporalio/client';

/**
 * How long a workflow waited each time, in seconds and in order, by the timers of its history that fired. The clock tells
 * that less exactly, since it stands still only between the server's own steps.
 */
export async function waitsOf(workflow: WorkflowHandle): Promise<number[]> {
  const { events } = await workflow.fetchHistory();
  const fired = new Set(events?.map(({ timerFiredEventAttributes }) => timerFiredEventAttributes?.timerId));
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer?.timerId !== undefined && fired.has(timer.timerId)
      ? [Number(timer.startToFireTimeout?.seconds ?? 0) + (timer.startToFireTimeout?.nanos ?? 0) / 1e9]
      : [],
  );
}
