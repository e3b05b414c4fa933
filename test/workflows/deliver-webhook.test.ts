import { ApplicationFailure } from '@temporalio/common';
import { ulid } from 'ulid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { AttemptInput, LocalAttemptResult } from '../../activities/deliver-webhook.ts';
import { deliverWebhook } from '../../workflows/webhooks/deliver-webhook.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';

/**
 * How long a workflow waited each time, in seconds and in order, by the timers of its history that fired. The clock tells
 * that less exactly, since it stands still only between the server's own steps.
 */
async function waitsOf(workflow: WorkflowHandle): Promise<number[]> {
  const { events } = await workflow.fetchHistory();
  const fired = new Set(events?.map(({ timerFiredEventAttributes }) => timerFiredEventAttributes?.timerId));
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer?.timerId !== undefined && fired.has(timer.timerId)
      ? [Number(timer.startToFireTimeout?.seconds ?? 0) + (timer.startToFireTimeout?.nanos ?? 0) / 1e9]
      : [],
  );
}

const { nowMs, withService } = workflowBench();
const attemptDelivery = vi.fn<(input: AttemptInput) => Promise<LocalAttemptResult>>();
const activities = { deliver: { attemptDelivery } };

beforeEach(() => void vi.resetAllMocks());

interface Delivered {
  readonly result: string;
  /** Of server time, at which attempts were made. */
  readonly atSeconds: number[];
  readonly waits: number[];
}

/** Delivers with the clock skipped. */
async function deliver(round: { firstAttempt?: number } = {}): Promise<Delivered> {
  const recordId = ulid();
  const input = { deliveryId: `webhook/${recordId}/1`, recordId, url: 'https://example.com/hook', ...round };
  const times: number[] = [];
  const answer = attemptDelivery.getMockImplementation();
  attemptDelivery.mockImplementation(async (attempt) => {
    times.push(await nowMs());
    if (answer === undefined) throw new Error('no answer was prepared');
    return answer(attempt);
  });
  const { result, waits } = await withService({ activities }, async (client, taskQueue) => {
    const options = { workflowId: input.deliveryId, taskQueue, args: [input] as [typeof input] };
    const handle = await client.workflow.start(deliverWebhook, options);
    return { result: await handle.result(), waits: await waitsOf(handle) };
  });
  const first = times[0] ?? 0;
  return { result, atSeconds: times.map((time) => Math.round((time - first) / 1000)), waits };
}

/** The clock stands still only between the server's own steps: that nothing is late, the timers of the history tell. */
function expectNotBefore(atSeconds: readonly number[], dueSeconds: readonly number[]): void {
  expect(atSeconds).toHaveLength(dueSeconds.length);
  for (const [index, due] of dueSeconds.entries()) expect(atSeconds[index]).toBeGreaterThanOrEqual(due);
}

describe('the delivery of a webhook', () => {
  it('makes attempts at 0, 10, 40 and 100 s and is then abandoned', async () => {
    attemptDelivery.mockResolvedValue('refused');
    const { result, atSeconds, waits } = await deliver();
    expect(result).toBe('abandoned');
    expect(waits).toEqual([10, 30, 60]);
    expectNotBefore(atSeconds, [0, 10, 40, 100]);
    expect(attemptDelivery.mock.calls.map(([input]) => [input.attempt, input.isLast])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
  });

  it('ends with the first 2xx, so that a receiver that recovers gets three requests', async () => {
    attemptDelivery.mockImplementation(({ attempt }) => Promise.resolve(attempt < 3 ? 'refused' : 'delivered'));
    const { result, atSeconds, waits } = await deliver();
    expect(result).toBe('delivered');
    expect(atSeconds).toHaveLength(3);
    expect(waits).toEqual([10, 30]);
  });

  it('makes no other attempt at a forbidden target', async () => {
    attemptDelivery.mockResolvedValue('forbidden');
    const { result, atSeconds, waits } = await deliver();
    expect(result).toBe('abandoned');
    expect(atSeconds).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('uses up no attempt for a fault of the service', async () => {
    let calls = 0;
    attemptDelivery.mockImplementation(() => {
      calls += 1;
      return calls % 2 === 1 ? Promise.reject(new Error('the database is away')) : Promise.resolve('refused');
    });
    await deliver();
    expect(attemptDelivery.mock.calls.map(([input]) => input.attempt)).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it('uses up no attempt, and moves no delay, while the receiver has no free slot', async () => {
    const slots = [false, false, true, true, false, true];
    const madeAt: number[] = [];
    attemptDelivery.mockImplementation(async () => {
      if (slots.shift() === false)
        throw ApplicationFailure.create({ type: 'receiver-busy', nextRetryDelay: '7 seconds' });
      madeAt.push(await nowMs());
      return madeAt.length < 3 ? 'refused' : 'delivered';
    });
    const { result, waits } = await deliver();
    expect(result).toBe('delivered');
    expect(attemptDelivery.mock.calls.map(([input]) => input.attempt)).toEqual([1, 1, 1, 2, 3, 3]);
    expect(waits).toEqual([10, 30]);
    const between = madeAt.slice(1).map((time, index) => (time - (madeAt[index] ?? 0)) / 1000);
    // The second retry is due after 30 s, and waits for a slot once.
    expectNotBefore(between, [10, 37]);
  });

  it('has four more attempts with the same delays after a redelivery', async () => {
    attemptDelivery.mockResolvedValue('refused');
    const { result, atSeconds, waits } = await deliver({ firstAttempt: 5 });
    expect(result).toBe('abandoned');
    expect(waits).toEqual([10, 30, 60]);
    expect(attemptDelivery.mock.calls.map(([input]) => [input.attempt, input.firstAttempt, input.isLast])).toEqual([
      [5, 5, false],
      [6, 5, false],
      [7, 5, false],
      [8, 5, true],
    ]);
    expectNotBefore(atSeconds, [0, 10, 40, 100]);
  });

  it.each([
    ['is delivered at once', ['delivered'], 'delivered', [1]],
    ['waits before the second attempt', ['refused', 'delivered'], 'delivered', [1, 2]],
    ['is left to the queue if there is no slot for it', ['queue', 'delivered'], 'delivered', [1, 1]],
    [
      'is left to the queue when the fault is ours',
      [new Error('the database is away'), 'delivered'],
      'delivered',
      [1, 1],
    ],
    ['of a forbidden target is the last one', ['forbidden'], 'abandoned', [1]],
  ] as const)('whose first attempt is local: it %s', async (_what, answers, expected, attempts) => {
    const left: (LocalAttemptResult | Error)[] = [...answers];
    attemptDelivery.mockImplementation(() => {
      const answer = left.shift() ?? 'refused';
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
    const { result } = await deliver();
    expect(result).toBe(expected);
    expect(attemptDelivery.mock.calls.map(([input]) => input.attempt)).toEqual(attempts);
  });
});
