import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pacingIdOf } from '../../../runtime/shares.ts';
import { startPacing } from '../../../worker/pacing/pacing.ts';
import { LIMITS, pass } from '../../helpers/busy-worker.ts';
import { memoryPacing } from '../../helpers/memory-pacing.ts';
import { routesWith } from '../../helpers/workflow-run.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => void vi.useRealTimers());

describe('what workers share of a site', () => {
  const sitePacing = async (limits = LIMITS, store = memoryPacing()) => {
    const onError = (error: unknown): never => {
      throw error;
    };
    const pacing = await startPacing({ store, taskQueue: 'q', routes: routesWith(limits), maxFetches: 4, onError });
    const budget = await pacing.siteBudget('site/a.example');
    const entered = await budget.tryEnter();
    if (!('use' in entered)) throw new Error('the site is not free');
    const kept = () => store.read(pacingIdOf('q', 'site/a.example'));
    return { pacing, store, budget, entered, kept };
  };

  it('is removed when nobody uses it any more', async () => {
    const { pacing, store, entered, kept } = await sitePacing();
    await pass(200_000);
    expect(await kept()).toBeDefined();
    await entered.use.end({ kind: 'answered' });
    entered.release();
    await pass(80_000);
    expect(await kept()).toBeUndefined();
    await pacing.stop();
    expect(await store.read(pacingIdOf('q'))).toBeUndefined();
  });

  it('stays for as long as the site refuses, and is known to whoever comes next', async () => {
    const { pacing, entered, kept } = await sitePacing();
    const untilMs = Date.now() + 3_600_000;
    const refusal = { code: 'rate_limited', message: 'Later.', retryAtMs: untilMs } as const;
    await entered.use.end({ kind: 'refused', refusal });
    entered.release();
    await pass(80_000);
    expect((await kept())?.state.members).toEqual([]);
    const budget = await pacing.siteBudget('site/a.example');
    expect(await budget.tryEnter()).toMatchObject({ reason: 'Later.', code: 'rate_limited' });
    await pacing.stop();
  });

  it('is removed an hour or two after a pause when nobody has asked the site since', async () => {
    const { pacing, store, entered, kept } = await sitePacing();
    await entered.use.end({ kind: 'refused', refusal: { code: 'rate_limited', message: 'Later.' } });
    entered.release();
    await pass(3_600_000);
    expect((await kept())?.state.routes['site/a.example']?.pause).toBeDefined();
    await pass(2 * 3_600_000);
    expect(await kept()).toBeUndefined();
    expect(await store.ids()).toEqual([pacingIdOf('q')]);
    await pacing.stop();
  });

  it('keeps nobody waiting for the turns of the many who came before, and lets these not come all at once', async () => {
    const { pacing, budget, entered } = await sitePacing({ ...LIMITS, startsPerMinute: 60_000, maxAtOnce: 1 });
    const promisedIn = async (fromMs: number): Promise<number> => {
      const notNow = await budget.tryEnter();
      if ('use' in notNow) throw new Error('the site is free');
      return (notNow.atMs - fromMs) / 1000;
    };
    const startMs = Date.now();
    const seconds: number[] = [];
    for (let n = 0; n < 200; n += 1) seconds.push(await promisedIn(startMs));
    expect(seconds.slice(0, 3)).toEqual([5, 10, 15]);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(30);
    expect(new Set(seconds).size).toBeGreaterThan(100);
    const untilMs = startMs + 3_600_000;
    await entered.use.end({ kind: 'refused', refusal: { code: 'rate_limited', message: '', retryAtMs: untilMs } });
    entered.release();
    for (let n = 0; n < 200; n += 1) {
      const afterPause = await promisedIn(untilMs);
      expect(afterPause).toBeGreaterThan(0);
      expect(afterPause).toBeLessThanOrEqual(30);
    }
    await pacing.stop();
  });
});
