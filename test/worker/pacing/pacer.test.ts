import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FailureCode } from '../../../contract/failures.ts';
import { MAX_PAUSED_MS } from '../../../runtime/pacing.ts';
import type { UseEnd } from '../../../worker/pacing/uses.ts';
import { BusyWorker, LIMITS, pass, workerWith } from '../../helpers/busy-worker.ts';
import { memoryPacing } from '../../helpers/memory-pacing.ts';

const WITHDRAWN: UseEnd = { kind: 'withdrawn' };
const refusedAs = (code: FailureCode = 'rate_limited', retryAtMs?: number): UseEnd => ({
  kind: 'refused',
  refusal: { code, message: 'The platform limits us.', ...(retryAtMs === undefined ? {} : { retryAtMs }) },
});

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => void vi.useRealTimers());

const pauseSeconds = ({ budget }: BusyWorker): number => ((budget.pause?.untilMs ?? 0) - Date.now()) / 1000;

describe('a worker alone', () => {
  it('begins as many at once as the route allows, then one for each that ends, as often as the route allows', async () => {
    const worker = await workerWith({ maxAtOnce: 3, startsPerMinute: 6 });
    expect(worker.running).toHaveLength(3);
    await worker.running[0]?.end();
    await pass(9_900);
    expect(worker.running).toHaveLength(2);
    await pass(200);
    expect(worker.running).toHaveLength(3);
    await worker.stop();
  });

  it('runs no more than it has room for itself', async () => {
    const worker = await new BusyWorker(memoryPacing(), LIMITS, 2).start();
    expect(worker.running).toHaveLength(2);
    await worker.stop();
  });

  it.each([
    ['in order', async (worker: BusyWorker) => worker.stop()],
    ['without a word', (worker: BusyWorker) => Promise.resolve((worker.isCutOff = true))],
  ])('that ended %s leaves no second burst to the one after it', async (_how, end) => {
    const store = memoryPacing();
    const first = await workerWith({ startsPerMinute: 6 }, store);
    expect(first.running).toHaveLength(4);
    await end(first);
    const second = await workerWith({ startsPerMinute: 6 }, store);
    await pass(9_000);
    expect(second.running).toHaveLength(0);
    await pass(20_000);
    expect(second.running.length).toBeLessThanOrEqual(3);
    await Promise.all([first.stop(), second.stop()]);
  });
});

describe('a refusal of the platform', () => {
  it('stops all starts, then lets a single probe through, whose answer lets one start after the other', async () => {
    const worker = await workerWith();
    const [first, second] = worker.running;
    await first?.end(refusedAs());
    expect(pauseSeconds(worker)).toBe(15);
    await second?.end();
    await pass(14_900);
    expect(worker.running).toHaveLength(2);
    await pass(2_000);
    expect(worker.running).toHaveLength(3);
    await pass(20_000);
    expect(worker.running).toHaveLength(3);
    await worker.running.at(-1)?.end();
    expect(worker.budget.pause).toBeUndefined();
    // By the rate, not both at once.
    expect(worker.running).toHaveLength(3);
    await pass(1_100);
    expect(worker.running).toHaveLength(4);
    await worker.stop();
  });

  it('of the probe makes the pause longer each time, up to a limit', async () => {
    const worker = await workerWith({ maxAtOnce: 1 });
    const pauses: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      await worker.running[0]?.end(refusedAs());
      pauses.push(pauseSeconds(worker));
      await pass(pauseSeconds(worker) * 1000 + 2_000);
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900]);
    await worker.stop();
  });

  it('of those who started before the pause changes nothing', async () => {
    const worker = await workerWith();
    for (const running of worker.running.slice(0, 3)) await running.end(refusedAs());
    expect(pauseSeconds(worker)).toBe(15);
    expect(worker.budget.pause?.refusals).toBe(3);
    await worker.stop();
  });

  it('of one who started before a pause that is over begins one, but does not double it', async () => {
    const worker = await workerWith({ maxAtOnce: 2 });
    const [first, second] = worker.running;
    await first?.end(refusedAs());
    await pass(16_000);
    await worker.running.at(-1)?.end();
    expect(worker.budget.pause).toBeUndefined();
    await second?.end(refusedAs());
    expect(pauseSeconds(worker)).toBe(15);
    await worker.stop();
  });

  it('of one who started before the pause changes nothing for its probe', async () => {
    const worker = await workerWith({ maxAtOnce: 2 });
    const [first, second] = worker.running;
    await first?.end(refusedAs());
    await pass(16_000);
    expect(worker.running).toHaveLength(2);
    await second?.end(refusedAs());
    await pass(5_000);
    expect(worker.running).toHaveLength(1);
    await worker.running[0]?.end();
    expect(worker.budget.pause).toBeUndefined();
    await worker.stop();
  });

  it.each([
    ['soon after', 10_000, 30],
    ['long after', 20_000, 15],
  ])('%s a pause continues or begins the doubling', async (_when, afterMs, seconds) => {
    const worker = await workerWith({ maxAtOnce: 1 });
    await worker.running[0]?.end(refusedAs());
    await pass(16_000);
    await worker.running[0]?.end();
    await pass(afterMs);
    await worker.running[0]?.end(refusedAs());
    expect(pauseSeconds(worker)).toBe(seconds);
    await worker.stop();
  });

  it('pauses for a minute at least when it asks for a sign-in, and until the time that it names, but not for ever', async () => {
    const hourMs = 3_600_000;
    for (const [refusal, seconds] of [
      [refusedAs('sign_in_required'), 60],
      [refusedAs('quota_exceeded', Date.now() + 5 * hourMs), 5 * 3600],
      [refusedAs('quota_exceeded', Date.now() + 9_000 * hourMs), MAX_PAUSED_MS / 1000],
    ] as const) {
      const worker = await workerWith();
      await worker.running[0]?.end(refusal);
      expect(pauseSeconds(worker)).toBe(seconds);
      await worker.stop();
    }
  });
});

describe('a probe', () => {
  const probing = async () => {
    const worker = await workerWith({ maxAtOnce: 1 });
    await worker.running[0]?.end(refusedAs());
    await pass(16_000);
    expect(worker.running).toHaveLength(1);
    return worker;
  };

  it('that learned nothing is replaced by the next', async () => {
    const worker = await probing();
    await worker.running[0]?.end(WITHDRAWN);
    await pass(2_000);
    expect(worker.budget.pause).toBeDefined();
    expect(worker.running).toHaveLength(1);
    await worker.stop();
  });

  it('that works for a minute without a refusal has shown enough', async () => {
    const worker = await probing();
    await pass(58_000);
    expect(worker.budget.pause).toBeDefined();
    await pass(4_000);
    expect(worker.budget.pause).toBeUndefined();
    await worker.stop();
  });

  it('of a worker that is gone is another worker’s within seconds', async () => {
    const store = memoryPacing();
    const [one, other] = [await workerWith({ maxAtOnce: 2 }, store), await workerWith({ maxAtOnce: 2 }, store)];
    await one.running[0]?.end(refusedAs());
    await one.running[0]?.end();
    await pass(20_000);
    const prober = one.running.length > 0 ? one : other;
    expect(one.running.length + other.running.length).toBe(1);
    prober.isCutOff = true;
    await pass(10_000);
    expect((prober === one ? other : one).running).toHaveLength(1);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('workers together', () => {
  it('share the places, also those of one that came later or is gone, and never use more than there are', async () => {
    const store = memoryPacing();
    const one = await workerWith({ startsPerMinute: 6_000 }, store);
    expect(one.running).toHaveLength(4);
    const other = await workerWith({ startsPerMinute: 6_000 }, store);
    await pass(3_000);
    // Nothing is taken from who works.
    expect([one.running.length, other.running.length]).toEqual([4, 0]);
    await one.running[0]?.end();
    await one.running[0]?.end();
    await pass(3_000);
    expect([one.running.length, other.running.length]).toEqual([2, 2]);
    // Killed: it renews nothing any more.
    one.isCutOff = true;
    await pass(7_000);
    expect(other.running).toHaveLength(4);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('see a pause within about a second, and one of them probes', async () => {
    const store = memoryPacing();
    const one = await workerWith({ maxAtOnce: 2 }, store);
    await one.running[0]?.end();
    const other = await workerWith({ maxAtOnce: 2 }, store);
    await pass(5_000);
    expect([one.running.length, other.running.length]).toEqual([1, 1]);
    await one.running[0]?.end(refusedAs());
    await pass(1_100);
    expect(other.budget.pause?.reason).toBe('The platform limits us.');
    await other.running[0]?.end();
    await pass(18_000);
    expect(one.running.length + other.running.length).toBe(1);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('never run or start more than the route allows, whatever happens', async () => {
    const step = fc.record({
      what: fc.constantFrom('join', 'drain', 'leave', 'kill', 'end', 'end', 'end', 'pass', 'pass'),
      which: fc.nat(20),
    });
    const spacingMs = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const store = memoryPacing();
        const workers: BusyWorker[] = [];
        const all: BusyWorker[] = [];
        for (const { what, which } of steps) {
          const worker = workers[which % Math.max(1, workers.length)];
          if (what === 'join' && workers.length < 5) {
            const joined = await workerWith({ startsPerMinute: 60_000 / spacingMs }, store);
            workers.push(joined);
            all.push(joined);
          } else if (what === 'pass') await pass(which * 500);
          else if (worker !== undefined && what === 'end') await worker.running[0]?.end();
          else if (worker !== undefined && what === 'drain') await worker.pacer.drain();
          else if (worker !== undefined && what !== 'join') {
            workers.splice(workers.indexOf(worker), 1);
            // Its jobs are gone with it.
            worker.running.splice(0);
            if (what === 'leave') await worker.stop();
            else worker.isCutOff = true;
          }
          const running = workers.reduce((sum, one) => sum + one.running.length, 0);
          expect(running).toBeLessThanOrEqual(LIMITS.maxAtOnce);
        }
        const begunMs = all.flatMap((one) => one.begunMs).sort((a, b) => a - b);
        // As many as may run at once may start together, and the others by the rate, in whichever stretch of time.
        const beyondRate = begunMs.flatMap((fromMs, index) =>
          begunMs.slice(index).map((toMs, count) => count - (toMs - fromMs) / spacingMs),
        );
        expect(Math.max(0, ...beyondRate)).toBeLessThanOrEqual(LIMITS.maxAtOnce);
        await Promise.all(all.map((one) => one.stop()));
      }),
      { numRuns: 40 },
    );
  });

  it('go on in the end, whoever was refused, cut off or killed', async () => {
    const step = fc.record({
      what: fc.constantFrom(
        'join',
        'drain',
        'leave',
        'kill',
        'cut off',
        'back',
        'end',
        'refuse',
        'refuse',
        'pass',
        'pass',
      ),
      which: fc.nat(20),
    });
    const limits = { startsPerMinute: 600, maxPauseSeconds: 60 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const store = memoryPacing();
        const workers = [await workerWith(limits, store)];
        const all = [...workers];
        const drained = new Set<BusyWorker>();
        const isStaying = (worker: BusyWorker): boolean => !drained.has(worker);
        for (const { what, which } of steps) {
          const worker = workers[which % Math.max(1, workers.length)];
          if (what === 'join' && workers.length < 5) {
            const joined = await workerWith(limits, store);
            workers.push(joined);
            all.push(joined);
          } else if (what === 'pass') await pass(which * 2_000);
          else if (worker !== undefined && (what === 'end' || what === 'refuse')) {
            const ended = worker.running[0]?.end(what === 'refuse' ? refusedAs() : undefined);
            await pass(2_100);
            await ended;
          } else if (worker !== undefined && (what === 'cut off' || what === 'back')) {
            worker.isCutOff = what === 'cut off';
          } else if (
            worker !== undefined &&
            what === 'drain' &&
            workers.some((one) => one !== worker && isStaying(one))
          ) {
            drained.add(worker);
            void worker.pacer.drain();
          } else if (
            worker !== undefined &&
            (what === 'leave' || what === 'kill') &&
            workers.some((one) => one !== worker && isStaying(one))
          ) {
            workers.splice(workers.indexOf(worker), 1);
            worker.isCutOff ||= what === 'kill';
            worker.running.splice(0);
            if (what === 'leave') await worker.stop();
          }
        }
        for (const worker of workers) worker.isCutOff = false;
        for (let round = 0; round < 2; round += 1) {
          await pass(70_000);
          for (const worker of workers) for (const running of worker.running.slice()) await running.end();
        }
        await pass(10_000);
        expect(workers.reduce((sum, { running }) => sum + running.length, 0)).toBe(LIMITS.maxAtOnce);
        await Promise.all(all.map((one) => one.stop()));
      }),
      { numRuns: 30 },
    );
  });
});
