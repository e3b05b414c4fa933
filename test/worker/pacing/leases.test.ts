import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkerRole } from '../../../runtime/roles.ts';
import { pacingIdOf, renewed, type PacingStore } from '../../../runtime/shares.ts';
import { startPacing } from '../../../worker/pacing/pacing.ts';
import type { UseEnd } from '../../../worker/pacing/uses.ts';
import { BusyWorker, LIMITS, pass, workerWith } from '../../helpers/busy-worker.ts';
import { memoryPacing } from '../../helpers/memory-pacing.ts';
import { routesWith } from '../../helpers/workflow-run.ts';

const FAST = { startsPerMinute: 60_000 };
const REFUSED: UseEnd = { kind: 'refused', refusal: { code: 'rate_limited', message: 'The platform limits us.' } };

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const runningIn = (...workers: readonly BusyWorker[]): number[] => workers.map(({ running }) => running.length);
/** Alone, with one that runs and two that ask for a task, which does not come. */
async function askingWorker(store: PacingStore): Promise<BusyWorker> {
  const worker = await new BusyWorker(store, { ...LIMITS, ...FAST }).start();
  expect(runningIn(worker)).toEqual([4]);
  worker.isQueueEmpty = true;
  for (let ended = 0; ended < 3; ended += 1) await worker.running[0]?.end();
  expect(runningIn(worker)).toEqual([1]);
  return worker;
}

describe('a worker', () => {
  it('begins nothing in places that it gives back, also while that is being written', async () => {
    const store = memoryPacing();
    let written = (): void => undefined;
    const writing = new Promise<void>((resolve) => (written = resolve));
    const one = await askingWorker({
      ...store,
      replace: async (...change) => {
        // The first that shares with the other.
        if (change[2].members.length > 1) await writing;
        return store.replace(...change);
      },
    });
    const other = await workerWith(FAST, store);
    await pass(1_500);
    // It is about to be on record with three, and a share of two.
    await one.fillQueue();
    written();
    await pass(3_000);
    expect(runningIn(one, other)).toEqual([3, 1]);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('that has lost its lease begins nothing, also not in places that others have taken when it is back', async () => {
    const store = memoryPacing();
    const one = await askingWorker(store);
    const other = await workerWith(FAST, store);
    one.isCutOff = true;
    await pass(7_000);
    // What runs cannot be called back.
    expect(runningIn(one, other)).toEqual([1, 4]);
    one.isCutOff = false;
    await pass(1_500);
    expect((await store.read(pacingIdOf('q')))?.state.members).toHaveLength(2);
    await one.fillQueue();
    await pass(1_500);
    expect(runningIn(one, other)).toEqual([1, 4]);
    expect(one.turnedAway).toBe(2);
    for (let ended = 0; ended < 2; ended += 1) await other.running[0]?.end();
    await other.running[0]?.end();
    await pass(3_000);
    expect(runningIn(one, other)).toEqual([2, 2]);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('turns away what comes while its lease is over', async () => {
    const one = await askingWorker(memoryPacing());
    one.isCutOff = true;
    await pass(4_500);
    await one.fillQueue();
    expect([one.running.length, one.turnedAway]).toEqual([1, 2]);
    one.isCutOff = false;
    await pass(1_500);
    expect(runningIn(one)).toEqual([4]);
    await one.stop();
  });
});

describe('while the database is away', () => {
  it('jobs that have begun go on and end, none begins, and afterwards all goes on within the limits', async () => {
    const store = memoryPacing();
    const one = await workerWith(FAST, store);
    const other = await workerWith(FAST, store);
    await pass(2_000);
    for (let ended = 0; ended < 2; ended += 1) await one.running[0]?.end();
    await pass(3_000);
    expect(runningIn(one, other)).toEqual([2, 2]);
    one.isCutOff = other.isCutOff = true;
    await pass(60_000);
    await one.running[0]?.end();
    const refused = one.running[0]?.end(REFUSED);
    await pass(2_500);
    await refused;
    expect(runningIn(one, other)).toEqual([0, 2]);
    one.isCutOff = other.isCutOff = false;
    await pass(1_500);
    expect((await store.read(pacingIdOf('q')))?.state.members).toHaveLength(2);
    // What was learned meanwhile is known to all, and holds.
    expect(other.budget.pause?.reason).toBe('The platform limits us.');
    expect(runningIn(one, other)).toEqual([0, 2]);
    for (let ended = 0; ended < 2; ended += 1) await other.running[0]?.end();
    await pass(20_000);
    const probing = [...one.running, ...other.running];
    expect(probing).toHaveLength(1);
    await probing[0]?.end();
    await pass(3_000);
    expect(runningIn(one, other)).toEqual([2, 2]);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('a probe', () => {
  it('whose task was refused before it began goes to the next', async () => {
    const worker = await workerWith({ maxAtOnce: 1 });
    await worker.running[0]?.end(REFUSED);
    worker.isQueueEmpty = true;
    await pass(16_000);
    await worker.takeUnfit();
    await pass(5_000);
    await worker.fillQueue();
    expect(runningIn(worker)).toEqual([1]);
    await worker.running[0]?.end();
    expect(worker.budget.pause).toBeUndefined();
    await worker.stop();
  });

  const idleProber = async (store: PacingStore, maxAtOnce = 2) => {
    const worker = await workerWith({ maxAtOnce }, store);
    await worker.running[0]?.end(REFUSED);
    await worker.running[0]?.end();
    worker.isQueueEmpty = true;
    await pass(16_000);
    expect(runningIn(worker)).toEqual([0]);
    expect(worker.budget.pause?.probe).toBeDefined();
    return worker;
  };

  it('of a worker that has no task for it becomes another’s within seconds', async () => {
    const store = memoryPacing();
    const idle = await idleProber(store);
    const other = await workerWith({ maxAtOnce: 2 }, store);
    await pass(25_000);
    expect(runningIn(idle, other)).toEqual([0, 1]);
    await other.running[0]?.end();
    expect(other.budget.pause).toBeUndefined();
    await Promise.all([idle.stop(), other.stop()]);
  });

  it('comes back to a worker alone, also while the poll goes on for which it had it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const worker = await idleProber(memoryPacing(), 1);
    await pass(10_000);
    expect(worker.budget.pause?.probe).toBeUndefined();
    await pass(12_000);
    await worker.fillQueue();
    expect([worker.running.length, worker.turnedAway]).toEqual([1, 0]);
    await worker.stop();
  });

  it('of who is no member any more is anybody’s, whoever has seen that one go', () => {
    const pause = { code: 'rate_limited', reason: '', sinceMs: 0, untilMs: 0, lengthMs: 1, refusals: 1 } as const;
    const route = { pause: { ...pause, probe: { by: 'gone', sinceMs: 0 } }, pauses: 1, dueMs: 0 };
    const limits = { page: LIMITS };
    const after = renewed(
      { members: [], routes: { page: route } },
      { id: 'one', beat: 1, limits, uses: {}, dead: new Set() },
    );
    expect(after.routes['page']).toEqual({ ...route, pause });
  });
});

it('workers of other roles take no part of what a route allows', async () => {
  const store = memoryPacing();
  const onError = (error: unknown): never => {
    throw error;
  };
  const options = { store, taskQueue: 'q', routes: routesWith(LIMITS), maxFetches: 4, onError };
  const join = (roles: readonly WorkerRole[]) => startPacing({ ...options, roles });
  const [pages, posts, none] = [await join(['vidnet']), await join(['imgnet', 'speech']), await join(['webhooks'])];
  await pass(3_000);
  const { members = [] } = (await store.read(pacingIdOf('q')))?.state ?? {};
  expect(members.map(({ places }) => places)).toEqual([pages, posts].map(({ routes }) => placesAt(routes)));
  expect(pages.routes.filter((route) => posts.routes.includes(route))).toEqual([]);
  expect(none.routes).toEqual([]);
  await Promise.all([pages, posts, none].map((one) => one.stop()));
});

const placesAt = (routes: readonly string[]) => Object.fromEntries(routes.map((route) => [route, LIMITS.maxAtOnce]));
