import { expect, it } from 'vitest';
import { createAcceptTurns } from '../../api/accept-turns.ts';
import { BusyError } from '../../runtime/semaphore.ts';

/** Works that end when they are told to. */
function bench(options: { atOnce: number; maxWaitMs: number }) {
  const turns = createAcceptTurns(options);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const add = (index: number): Promise<number> =>
    turns.inTurn(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => (ends[index] = resolve));
      return index;
    });
  return { turns, begun, ends, add };
}

it('begins what is asked for in the order of arrival, a few at a time', async () => {
  const { begun, ends, add } = bench({ atOnce: 2, maxWaitMs: 60_000 });
  const answered: number[] = [];
  const all = Array.from({ length: 7 }, async (_, index) => answered.push(await add(index)));
  for (let next = 0; next < 7; next += 1) {
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next + 2));
    expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next));
    ends[next]!();
    await all[next];
  }
});

it('lets go on without a turn who has waited too long, also while nobody ends', async () => {
  const { begun, ends, add } = bench({ atOnce: 1, maxWaitMs: 20 });
  const [first, ...late] = [add(0), add(1), add(2)];
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const end of ends) end();
  expect(await Promise.all([first, ...late])).toEqual([0, 1, 2]);
});

it('throws what the work throws, and does it once', async () => {
  const { turns } = bench({ atOnce: 1, maxWaitMs: 60_000 });
  let done = 0;
  const work = () => {
    done += 1;
    return Promise.reject(new BusyError('of its own'));
  };
  await expect(turns.inTurn(work)).rejects.toThrow('of its own');
  expect(done).toBe(1);
  expect(await turns.inTurn(() => Promise.resolve('next'))).toBe('next');
});
