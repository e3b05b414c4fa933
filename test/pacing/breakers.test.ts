import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import type { Refusal } from '../../pacing/breaker.ts';
import {
  createBreakerActivities,
  createBreakers,
  type OpenBreaker,
  type Pass,
  type RouteBreaker,
} from '../../pacing/breakers.ts';
import { createRouteCommands } from '../../operator/routes/route-commands.ts';
import { breakerSlots } from '../../pacing/slots.ts';
import { routeOfTimeout } from '../../workflows/lifecycle/job-outcome.ts';
import { breakersOn, memoryBreakerStore, GENEROUS, routesWith } from '../helpers/breakers.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const REFUSAL: Refusal = { code: 'rate_limited', message: 'Slow down.' };
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());
/** The fake timers also advance the monotonic clock. */
const advance = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

async function pass(breaker: RouteBreaker): Promise<Pass> {
  const entered = await breaker.enter();
  if ('open' in entered) throw new Error(`the breaker is open: ${entered.open.reason}`);
  return entered;
}
async function heldMs(breaker: RouteBreaker): Promise<number> {
  const entered = await breaker.enter();
  if ('end' in entered) throw new Error('the breaker lets a use through');
  return Math.round((entered satisfies OpenBreaker).waitMs);
}
/** Opens the breaker by a refusal. The first pause lasts 15 s, and the longest 900 s. */
async function opened(refusal = REFUSAL) {
  const store = memoryBreakerStore();
  const breaker = breakersOn(store).of('page');
  await (await pass(breaker)).end(refusal);
  return { store, breaker };
}

describe('a circuit breaker', () => {
  it('opens at a refusal, lets one trial through after the pause, and closes when the platform answers', async () => {
    const { store, breaker } = await opened();
    const other = breakersOn(store).of('page');
    expect([await heldMs(breaker), await heldMs(other)]).toEqual([15_000, 15_000]);
    await advance(15);
    const trial = await pass(breaker);
    await advance(1);
    expect(await heldMs(other)).toBe(89_000);
    await trial.end('answered');
    await advance(1);
    await (await pass(other)).end('answered');
    expect(breaker.state).toBe('closed');
  });

  it('lets only one of two workers begin the trial', async () => {
    const { store, breaker } = await opened();
    const other = breakersOn(store).of('page');
    await heldMs(other);
    await advance(15);
    const entered = await Promise.all([breaker.enter(), other.enter()]);
    expect(entered.filter((one) => 'end' in one)).toHaveLength(1);
  });

  it('doubles the pause when the trial is refused, up to a limit', async () => {
    const { breaker } = await opened();
    for (const seconds of [15, 30, 60, 120, 240, 480, 900, 900]) {
      expect(await heldMs(breaker)).toBe(seconds * 1000);
      await advance(seconds);
      await (await pass(breaker)).end(REFUSAL);
    }
  });

  it('doubles the pause when a refusal soon follows its closing', async () => {
    const { breaker } = await opened();
    await advance(15);
    await (await pass(breaker)).end('answered');
    await advance(2);
    await (await pass(breaker)).end(REFUSAL);
    expect(await heldMs(breaker)).toBe(30_000);
  });

  it('treats the refusal of a use that began before an earlier pause as a first one', async () => {
    const store = memoryBreakerStore();
    const breaker = breakersOn(store).of('page');
    const [slow, quick] = [await pass(breaker), await pass(breaker)];
    await quick.end(REFUSAL);
    await advance(15);
    await (await pass(breaker)).end('answered');
    await slow.end(REFUSAL);
    expect(await heldMs(breaker)).toBe(15_000);
  });

  it('is not changed by refusals of uses that began before it opened, unless they name a later time', async () => {
    const store = memoryBreakerStore();
    const breaker = breakersOn(store).of('page');
    const uses = [await pass(breaker), await pass(breaker), await pass(breaker)];
    await uses[0]!.end(REFUSAL);
    const version = (await store.read('page'))?.version;
    await uses[1]!.end(REFUSAL);
    expect((await store.read('page'))?.version).toBe(version);
    await uses[2]!.end({ ...REFUSAL, retryAtMs: Date.now() + 3_600_000 });
    expect(await heldMs(breaker)).toBe(3_600_000);
  });

  it('stays open for a minute if the platform requires a sign-in, and for at most 26 hours if it names a time', async () => {
    const signIn = await opened({ code: 'sign_in_required', message: '' });
    expect(await heldMs(signIn.breaker)).toBe(60_000);
    const named = await opened({ ...REFUSAL, retryAtMs: NOW + 7 * 86_400_000 });
    expect(await heldMs(named.breaker)).toBe(26 * 3_600_000);
  });

  it('closes when its trial has run for a minute without a refusal', async () => {
    const { breaker } = await opened();
    await advance(15);
    await pass(breaker);
    await advance(60);
    expect(breaker.state).toBe('closed');
  });

  it('starts another trial if the first one showed nothing, or its worker died', async () => {
    const { store, breaker } = await opened();
    await advance(15);
    await (await pass(breaker)).end('unknown');
    let isDead = false;
    const unlessDead = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      return (...args: Args) => (isDead ? Promise.reject(new Error('dead')) : call(...args));
    };
    const reached = { ...store, read: unlessDead(store.read), replace: unlessDead(store.replace) };
    const other = createBreakers({ store: reached, routes: routesWith(GENEROUS), onError: () => undefined });
    await pass(other.of('page'));
    isDead = true;
    await advance(1);
    expect(await heldMs(breaker)).toBe(89_000);
    await advance(89);
    await (await pass(breaker)).end('answered');
  });

  it('does not stay open longer than its pause if a clock is set back', async () => {
    const { store, breaker } = await opened();
    vi.setSystemTime(NOW - 86_400_000);
    expect([await heldMs(breaker), await heldMs(breakersOn(store).of('page'))]).toEqual([15_000, 15_000]);
    await advance(15);
    await (await pass(breaker)).end('answered');
  });

  it('is read at most once a second, and written only when it changes', async () => {
    const store = memoryBreakerStore();
    const breaker = breakersOn(store).of('page');
    for (let use = 0; use < 100; use += 1) await (await pass(breaker)).end('answered');
    expect(store.operations()).toBe(1);
  });
});

describe('the slots of a route', () => {
  it('are a fixed number while the breaker is closed, none while it is open, and one for the trial', async () => {
    const { breaker } = await opened();
    const slots = breakerSlots(breaker, 3);
    const stop = new AbortController();
    const permits: object[] = [];
    const reserve = () =>
      void slots.reserveSlot({} as never, stop.signal).then(
        (permit) => permits.push(permit),
        () => undefined,
      );
    for (let polls = 0; polls < 4; polls += 1) reserve();
    await advance(14);
    expect(permits).toHaveLength(0);
    await advance(1.5);
    expect(permits).toHaveLength(1);
    const trial = await pass(breaker);
    slots.markSlotUsed({ permit: permits[0]! } as never);
    await advance(10);
    expect(permits).toHaveLength(1);
    await trial.end('answered');
    await advance(0);
    expect(permits).toHaveLength(3);
    slots.releaseSlot({ permit: permits[0]! });
    await advance(0);
    expect(permits).toHaveLength(4);
    stop.abort(new Error('the worker stops'));
  });
});

describe('an operator', () => {
  it('opens and closes a circuit breaker, and a trial follows the pause', async () => {
    const store = memoryBreakerStore();
    const [run, breaker] = [createRouteCommands(store, routesWith(GENEROUS)), breakersOn(store).of('page')];
    const pause = { command: 'pause', args: ['page'], options: { minutes: '60', reason: 'Repairs.' } };
    expect(await run(pause)).toBe('page is paused until 2026-11-26T13:00:00.000Z.');
    expect(await run({ command: 'list', args: [], options: {} })).toBe(
      'page  paused since 2026-11-26T12:00:00.000Z, until 2026-11-26T13:00:00.000Z: Repairs.\n' +
        'listing  open\ncomments  open\ndataset  open\nmedia  open',
    );
    expect(await heldMs(breaker)).toBe(3_600_000);
    expect(await createRouteCommands(store, routesWith(GENEROUS))({ ...pause, command: 'resume' })).toBe('page  open');
    await advance(1);
    await (await pass(breaker)).end('answered');
    await run(pause);
    await advance(3_600);
    await (await pass(breaker)).end(REFUSAL);
    expect(await heldMs(breaker)).toBe(15_000);
  });

  it('may pause a site, but not an unknown route', async () => {
    const run = createRouteCommands(memoryBreakerStore(), routesWith(GENEROUS));
    expect(await run({ command: 'pause', args: ['site/example.com'], options: {} })).toContain('is paused');
    for (const args of [[], ['nothing'], ['site/'], ['site/a b']])
      await expect(run({ command: 'pause', args, options: {} })).rejects.toThrow('ROUTE: one of page');
    for (const options of [{ minutes: '0' }, { minutes: '10081' }, { minutes: 'x' }, { reason: '' }])
      await expect(run({ command: 'pause', args: ['page'], options })).rejects.toThrow(/--minutes|--reason/);
    for (const command of ['', 'stop'])
      await expect(run({ command, args: [], options: {} })).rejects.toThrow(/command/);
  });
});

describe('a job whose activity has waited too long for its route', () => {
  it('fails with the refusal of the route, if its circuit breaker is open', async () => {
    const timeout = new TimeoutFailure('', undefined, TimeoutType.SCHEDULE_TO_CLOSE);
    const failed = (cause: Error) => new ActivityFailure('', 'fetchAudio', 'page#1', RetryState.TIMEOUT, '', cause);
    expect(routeOfTimeout(failed(timeout))).toBe('page');
    expect(routeOfTimeout(failed(ApplicationFailure.create({})))).toBeUndefined();
    expect(routeOfTimeout(failed(new TimeoutFailure('', undefined, TimeoutType.HEARTBEAT)))).toBeUndefined();
    const { store } = await opened();
    const { refusalOf } = createBreakerActivities({ breakers: breakersOn(store) });
    expect(await refusalOf({ route: 'page' })).toEqual(REFUSAL);
    expect(await refusalOf({ route: 'other' })).toMatchObject({ code: 'upstream_timeout' });
  });
});
