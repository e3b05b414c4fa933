import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pacingIdOf, type PacingStore } from '../../../runtime/shares.ts';
import { startPacing } from '../../../worker/pacing/pacing.ts';
import type { UseEnd } from '../../../worker/pacing/uses.ts';
import { LIMITS, pass, workerWith, type BusyWorker } from '../../helpers/busy-worker.ts';
import { memoryPacing } from '../../helpers/memory-pacing.ts';
import { routesWith } from '../../helpers/workflow-run.ts';

const FAST = { startsPerMinute: 60_000 };
const REFUSED: UseEnd = { kind: 'refused', refusal: { code: 'rate_limited', message: 'The platform limits us.' } };

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => void vi.useRealTimers());

const runningIn = (...workers: readonly BusyWorker[]): number[] => workers.map(({ running }) => running.length);
const stopAll = (...workers: readonly BusyWorker[]) => Promise.all(workers.map((worker) => worker.stop()));
async function workersOf(store: PacingStore, count: number): Promise<BusyWorker[]> {
  const workers: BusyWorker[] = [];
  for (let n = 0; n < count; n += 1) workers.push(await workerWith(FAST, store));
  return workers;
}

describe('a worker that stops', () => {
  it('leaves all in which nothing runs to those that came later, also where it waits for a task', async () => {
    const store = memoryPacing();
    const old = await workersOf(store, 4);
    for (const worker of old) worker.isQueueEmpty = true;
    for (let n = 0; n < 4; n += 1) await old[0]?.running[0]?.end();
    await pass(3_000);
    const young = await workersOf(store, 4);
    await pass(3_000);
    expect(runningIn(...old, ...young)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await Promise.all(old.map(({ pacer }) => pacer.drain()));
    await pass(3_000);
    expect(runningIn(...young)).toEqual([1, 1, 1, 1]);
    // A task that comes all the same is another's.
    for (const worker of old) await worker.fillQueue();
    expect(runningIn(...old)).toEqual([0, 0, 0, 0]);
    expect(old.reduce((sum, { turnedAway }) => sum + turnedAway, 0)).toBeGreaterThan(1);
    await stopAll(...old, ...young);
  });

  it('keeps the places of what runs until that ends, and begins nothing in them', async () => {
    const store = memoryPacing();
    const old = await workerWith(FAST, store);
    await old.running[0]?.end();
    await pass(1_500);
    expect(runningIn(old)).toEqual([4]);
    await old.pacer.drain();
    const young = await workersOf(store, 2);
    await pass(20_000);
    expect(runningIn(old, ...young)).toEqual([4, 0, 0]);
    for (let n = 0; n < 2; n += 1) await old.running[0]?.end();
    await pass(3_000);
    expect(runningIn(old, ...young)).toEqual([2, 1, 1]);
    for (let n = 0; n < 2; n += 1) await old.running[0]?.end();
    await pass(3_000);
    expect(runningIn(old, ...young)).toEqual([0, 2, 2]);
    await stopAll(old, ...young);
  });

  it('begins nothing from that moment on, while the others do not know yet', async () => {
    const old = await workerWith(FAST);
    old.isQueueEmpty = true;
    await old.running[0]?.end();
    await pass(10);
    old.isCutOff = true;
    const drained = old.pacer.drain();
    await old.fillQueue();
    expect([old.running.length, old.turnedAway]).toEqual([3, 1]);
    await pass(2_500);
    await drained;
    await old.stop();
  });

  it('leaves a probe that has not begun to another, and none that runs', async () => {
    for (const hasTask of [false, true]) {
      const store = memoryPacing();
      const old = await workerWith({ maxAtOnce: 2 }, store);
      await old.running[0]?.end(REFUSED);
      await old.running[0]?.end();
      old.isQueueEmpty = !hasTask;
      await pass(16_000);
      await old.pacer.drain();
      for (let second = 0; second < 20; second += 1) {
        await pass(1_000);
        expect(old.budget.pause?.probe !== undefined).toBe(hasTask);
      }
      const young = await workerWith({ maxAtOnce: 2 }, store);
      await pass(2_500);
      expect(runningIn(old, young)).toEqual(hasTask ? [1, 0] : [0, 1]);
      await [...old.running, ...young.running][0]?.end();
      await pass(3_000);
      expect(young.budget.pause).toBeUndefined();
      expect(runningIn(old, young)).toEqual([0, 2]);
      await stopAll(old, young);
    }
  });

  it('leaves also the sites to the others, and those of which a task still comes', async () => {
    const store = memoryPacing();
    const onError = (error: unknown): never => {
      throw error;
    };
    const routes = routesWith({ ...LIMITS, ...FAST, maxAtOnce: 1 });
    const join = () => startPacing({ store, taskQueue: 'q', routes, maxFetches: 4, onError });
    const [old, young] = [await join(), await join()];
    const [known, late] = ['site/a.example', 'site/b.example'] as const;
    await old.siteBudget(known);
    await old.drain();
    expect(await (await old.siteBudget(late)).tryEnter()).not.toHaveProperty('use');
    for (const site of [known, late]) {
      const budget = await young.siteBudget(site);
      await pass(2_500);
      expect(await budget.tryEnter()).toHaveProperty('use');
    }
    const { members = [] } = (await store.read(pacingIdOf('q')))?.state ?? {};
    expect(members.map(({ places, isLeaving }) => [isLeaving, Math.max(...Object.values(places))])).toEqual([
      [true, 0],
      [undefined, 1],
    ]);
    await Promise.all([old.stop(), young.stop()]);
  });
});
