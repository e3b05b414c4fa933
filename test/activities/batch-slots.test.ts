import { expect, it, vi } from 'vitest';
import { createBatchSlots, type BatchOperation } from '../../activities/batches/batch-slots.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';

const routes = routesWith({ ...GENEROUS, maxAtOnce: 2 });

function slotsWith(workers: number) {
  const countPollers = vi.fn().mockResolvedValue(workers);
  return { countPollers, slots: createBatchSlots({ routes, maxFetches: 3, taskQueue: 'q', countPollers }) };
}
async function taken(
  slots: ReturnType<typeof slotsWith>['slots'],
  running: BatchOperation[],
  wanted: BatchOperation[],
) {
  const takeSlot = slots.besides(running);
  const answers: boolean[] = [];
  for (const operation of wanted) answers.push(await takeSlot(operation));
  return answers;
}

it('gives a batch as many slots of an upstream as all workers have', async () => {
  const { slots, countPollers } = slotsWith(2);
  const audio = Array.from({ length: 5 }, () => 'requestAudio' as const);
  expect(await taken(slots, [], audio)).toEqual([true, true, true, true, false]);
  expect(countPollers).toHaveBeenCalledExactlyOnceWith('q-route-page');
});

it('counts the running jobs of all operations that use the same upstream', async () => {
  const { slots } = slotsWith(1);
  const wanted = ['requestTranscript', 'requestMedia', 'requestImgnetProfile'] as const;
  expect(await taken(slots, ['requestAudio', 'requestVideo'], [...wanted])).toEqual([false, true, true]);
});

it('gives the slots of one worker while the circuit breaker of an upstream is open', async () => {
  const { slots } = slotsWith(0);
  expect(await taken(slots, [], ['requestAudio', 'requestAudio', 'requestAudio'])).toEqual([true, true, false]);
});
