import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ADMISSION_DEFAULTS, createAdmissionQueue, type AdmissionQueueOptions } from '../../api/admission-queue.ts';

const patient = { ...ADMISSION_DEFAULTS, lateAfterMs: 60_000, maxWaitMs: 60_000 };

/** Requests whose processing the test ends. */
function queueOfManualRequests(options: Partial<AdmissionQueueOptions>) {
  const queue = createAdmissionQueue({ ...patient, ...options });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const add = (index: number): Promise<number> =>
    queue.run(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => (ends[index] = resolve));
      return index;
    });
  return { queue, begun, ends, add };
}

it('processes requests in the order of arrival, a few at a time', async () => {
  const { begun, ends, add } = queueOfManualRequests({ concurrency: 2 });
  const answered: number[] = [];
  const all = Array.from({ length: 7 }, async (_, index) => answered.push(await add(index)));
  for (let next = 0; next < 7; next += 1) {
    await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next + 2));
    expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, next));
    ends[next]!();
    await all[next];
  }
});

it('processes additional requests in order when they have waited too long, even if no other request completes', async () => {
  const { begun, ends, add } = queueOfManualRequests({ concurrency: 1, lateAfterMs: 20, lateConcurrency: 2 });
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

it('refuses a request that has waited for the maximum time, and never processes it', async () => {
  const { begun, ends, add } = queueOfManualRequests({ concurrency: 1, lateConcurrency: 0, maxWaitMs: 20 });
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

it('accepts a burst of 500 requests without refusing one or exceeding its concurrency', async () => {
  const queue = createAdmissionQueue(ADMISSION_DEFAULTS);
  let [now, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, (now += 1));
    await delay(5);
    now -= 1;
  };
  await Promise.all(Array.from({ length: 500 }, () => queue.run(work)));
  expect(most).toBe(ADMISSION_DEFAULTS.concurrency);
});

it('releases the slot of a request while it waits, and acquires a slot again afterwards', async () => {
  const { queue, begun, ends, add } = queueOfManualRequests({ concurrency: 1 });
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => (come = resolve));
  const steps: string[] = [];
  const first = queue.run(async ({ releaseDuring }) => {
    steps.push('begun');
    await releaseDuring(() => came);
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
  await expect(
    queue.run(({ releaseDuring }) => releaseDuring(() => Promise.reject(new Error('of the wait')))),
  ).rejects.toThrow('of the');
  expect(await queue.run(() => Promise.resolve('next'))).toBe('next');
});

it('throws what the request throws, and releases its slot', async () => {
  const { queue } = queueOfManualRequests({ concurrency: 1 });
  let done = 0;
  const work = () => {
    done += 1;
    return Promise.reject(new Error('of its own'));
  };
  await expect(queue.run(work)).rejects.toThrow('of its own');
  expect(done).toBe(1);
  expect(await queue.run(() => Promise.resolve('next'))).toBe('next');
});

it('delays the jobs of a burst in their order until the waiting requests are accepted, and no later jobs', async () => {
  const queue = createAdmissionQueue({
    ...patient,
    concurrency: 2,
    msPerRequest: 100,
    minStartDelayMs: 50,
    maxStartDelayMs: 350,
  });
  const delayOf = (): Promise<number> => queue.run(({ startDelayMs }) => Promise.resolve(startDelayMs()));
  expect([await delayOf(), await delayOf()]).toEqual([0, 0]);
  const began = performance.now();
  const beginAt = await Promise.all(
    Array.from({ length: 7 }, async () => (await delayOf()) + performance.now() - began),
  );
  // Five requests wait behind the first two, which exceeds the maximum delay, and no job starts before an earlier one.
  expect(beginAt[0]).toBeGreaterThanOrEqual(350);
  for (const [index, one] of beginAt.entries()) {
    expect(one).toBeGreaterThan((beginAt[index - 1] ?? 0) - 2);
    expect(one).toBeLessThan(400);
  }
  await expect.poll(delayOf).toBe(0);
});
