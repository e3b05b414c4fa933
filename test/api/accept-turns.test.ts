import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ACCEPT_TURNS, createAcceptTurns, type AcceptTurnsOptions } from '../../api/accept-turns.ts';

const patient = { ...ACCEPT_TURNS, lateAfterMs: 60_000, maxWaitMs: 60_000 };

/** Works that end when they are told to. */
function bench(options: Partial<AcceptTurnsOptions>) {
  const turns = createAcceptTurns({ ...patient, ...options });
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
  const { begun, ends, add } = bench({ atOnce: 2 });
  const answered: number[] = [];
  const all = Array.from({ length: 7 }, async (_, index) => answered.push(await add(index)));
  for (let next = 0; next < 7; next += 1) {
    await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next + 2));
    expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next));
    ends[next]!();
    await all[next];
  }
});

it('works on a few more when some have waited too long, also while nobody ends, and then goes on in order', async () => {
  const { begun, ends, add } = bench({ atOnce: 1, lateAfterMs: 20, moreAtOnce: 2 });
  const all = [0, 1, 2, 3, 4].map(add);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  await delay(100);
  expect(begun).toEqual([0, 1, 2]);
  ends[1]!();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const next of [0, 2, 3]) ends[next]!();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4]);
  ends[4]!();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
});

it('refuses who has waited far too long, and never begins it', async () => {
  const { begun, ends, add } = bench({ atOnce: 1, moreAtOnce: 0, maxWaitMs: 20 });
  const first = add(0);
  await expect(add(1)).rejects.toMatchObject({ code: 'unavailable', extras: { retryAfterSeconds: 5 } });
  ends[0]!();
  expect(await first).toBe(0);
  const third = add(2);
  expect(await Promise.race([third, delay(50, 'begun')])).toBe('begun');
  expect(begun).toEqual([0, 2]);
  ends[2]!();
  await third;
});

it('takes 500 at once, a few at a time, and refuses none', async () => {
  const turns = createAcceptTurns(ACCEPT_TURNS);
  let [now, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, (now += 1));
    await delay(5);
    now -= 1;
  };
  await Promise.all(Array.from({ length: 500 }, () => turns.inTurn(work)));
  expect(most).toBe(ACCEPT_TURNS.atOnce);
});

it('lets others go on while one waits for something else, which takes a turn again', async () => {
  const { turns, begun, ends, add } = bench({ atOnce: 1 });
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => (come = resolve));
  const steps: string[] = [];
  const first = turns.inTurn(async ({ aside }) => {
    steps.push('begun');
    await aside(() => came);
    steps.push('again');
  });
  const other = add(1);
  await expect.poll(() => begun).toEqual([1]);
  come();
  await delay(20);
  expect(steps).toEqual(['begun']);
  ends[1]!();
  expect(await other).toBe(1);
  await first;
  expect(steps).toEqual(['begun', 'again']);
  await expect(turns.inTurn(({ aside }) => aside(() => Promise.reject(new Error('of the wait'))))).rejects.toThrow(
    'of the',
  );
  expect(await turns.inTurn(() => Promise.resolve('next'))).toBe('next');
});

it('throws what the work throws, and does it once', async () => {
  const { turns } = bench({ atOnce: 1 });
  let done = 0;
  const work = () => {
    done += 1;
    return Promise.reject(new Error('of its own'));
  };
  await expect(turns.inTurn(work)).rejects.toThrow('of its own');
  expect(done).toBe(1);
  expect(await turns.inTurn(() => Promise.resolve('next'))).toBe('next');
});

it('has jobs of a burst begin when those that wait are accepted, in their order, and those of nobody else later', async () => {
  const turns = createAcceptTurns({ ...patient, atOnce: 2, msEach: 100, minStartDelayMs: 50, maxStartDelayMs: 350 });
  const delayOf = (): Promise<number> => turns.inTurn(({ startDelayMs }) => Promise.resolve(startDelayMs()));
  expect([await delayOf(), await delayOf()]).toEqual([0, 0]);
  const began = performance.now();
  const beginAt = await Promise.all(
    Array.from({ length: 7 }, async () => (await delayOf()) + performance.now() - began),
  );
  // Five wait behind the first two: longer than may be, and nobody begins before one that came before.
  expect(beginAt[0]).toBeGreaterThanOrEqual(350);
  for (const [index, one] of beginAt.entries()) {
    expect(one).toBeGreaterThan((beginAt[index - 1] ?? 0) - 2);
    expect(one).toBeLessThan(400);
  }
  await expect.poll(delayOf).toBe(0);
});
