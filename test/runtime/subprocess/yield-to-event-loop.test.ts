import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nextEventLoopIteration } from '../../../runtime/subprocess/yield-to-event-loop.ts';

it('those who give way go on one by one, each in a turn of its own', async () => {
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    await nextEventLoopIteration();
    order.push(name);
  });
  const seen: number[] = [];
  while (order.length < 3) {
    await turn();
    seen.push(order.length);
  }
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'c']);
  // Never two of them between two looks.
  for (const [i, count] of seen.entries()) expect(count - (seen[i - 1] ?? 0)).toBeLessThanOrEqual(1);
});
