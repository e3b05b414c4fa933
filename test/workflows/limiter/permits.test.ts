import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PAUSED_MS, type PermitRequest, type RouteLimits } from '../../../runtime/pacing.ts';
import type { FailureCode } from '../../../contract/failures.ts';
import {
  initialPermits,
  Permits,
  permitsSchema,
  type PermitEnd,
  type PermitsState,
} from '../../../workflows/limiter/permits.ts';

const LIMITS: RouteLimits = { maxAtOnce: 2, startsPerMinute: 60, firstPauseSeconds: 15, maxPauseSeconds: 900 };
const NOW = Date.UTC(2026, 10, 21);

const asker = (turnId: string): PermitRequest => ({ turnId, workflowId: `audio/${turnId}`, runId: `run-${turnId}` });
const refused = (code: FailureCode = 'rate_limited', retryAtMs?: number): PermitEnd => ({
  kind: 'refused',
  ...{ code, message: 'The platform limits us.' },
  ...(retryAtMs === undefined ? {} : { retryAtMs }),
});
const ANSWERED: PermitEnd = { kind: 'answered' };
const WITHDRAWN: PermitEnd = { kind: 'withdrawn' };

function aQueue(names: string, limits: Partial<RouteLimits> = {}): Permits {
  const permits = new Permits(initialPermits({ ...LIMITS, ...limits }));
  for (const name of names) permits.request(asker(name));
  return permits;
}
const startedAt = (permits: Permits, nowMs: number): string =>
  permits
    .next(nowMs)
    .granted.map(({ turnId }) => turnId)
    .join('');
/** How long the present pause lasts from a time on, in seconds. */
const pauseSeconds = (permits: Permits, nowMs: number): number => ((permits.state.pause?.untilMs ?? 0) - nowMs) / 1000;

describe('permits', () => {
  it('are granted in the order of the asks, as many at once as the route allows', () => {
    const permits = aQueue('abcd');
    expect(startedAt(permits, NOW)).toBe('ab');
    expect(startedAt(permits, NOW + 60_000)).toBe('');
    permits.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(permits, NOW + 60_000)).toBe('c');
  });

  it('start as often as the route allows', () => {
    const permits = aQueue('abcd', { maxAtOnce: 3, startsPerMinute: 6 });
    expect(startedAt(permits, NOW)).toBe('abc');
    permits.end('a', ANSWERED, { nowMs: NOW });
    expect(permits.next(NOW)).toEqual({ granted: [], wakeAtMs: NOW + 10_000 });
    expect(startedAt(permits, NOW + 9_999)).toBe('');
    expect(startedAt(permits, NOW + 10_000)).toBe('d');
  });

  it('are kept by who asks again', () => {
    const permits = aQueue('abc');
    permits.next(NOW);
    for (const name of 'abc') permits.request(asker(name));
    permits.end('a', ANSWERED, { nowMs: NOW });
    permits.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(permits, NOW + 10_000)).toBe('c');
    expect(permits.state.queue).toEqual([]);
  });

  it('follow limits that have changed', () => {
    const permits = aQueue('abcd');
    permits.adopt({ ...LIMITS, maxAtOnce: 4 });
    expect(startedAt(permits, NOW)).toBe('abcd');
  });

  it('pass over who withdraws', () => {
    const permits = aQueue('abcd');
    permits.end('a', WITHDRAWN, { nowMs: NOW });
    expect(startedAt(permits, NOW)).toBe('bc');
    permits.end('b', WITHDRAWN, { nowMs: NOW });
    expect(startedAt(permits, NOW + 5_000)).toBe('d');
  });

  it('do not grow without bound: who comes to a full queue asks again later', () => {
    const permits = aQueue('ab');
    permits.next(NOW);
    for (let n = 0; n < 6_000; n += 1) permits.request(asker(`more-${String(n)}`));
    expect(permits.state.queue).toHaveLength(5_000);
    expect(JSON.stringify(permits.state).length).toBeLessThan(1_900_000);
  });
});

describe('a refusal of the platform', () => {
  it('stops all starts, then lets a single probe through, whose answer reopens the route', () => {
    const permits = aQueue('abcdef');
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW, again: asker('A') });
    expect(pauseSeconds(permits, NOW)).toBe(15);
    expect(permits.next(NOW)).toEqual({ granted: [], wakeAtMs: NOW + 15_000 });
    expect(startedAt(permits, NOW + 14_999)).toBe('');
    permits.end('b', ANSWERED, { nowMs: NOW + 14_999 });
    expect(startedAt(permits, NOW + 15_000)).toBe('A');
    expect(startedAt(permits, NOW + 20_000)).toBe('');
    permits.end('A', ANSWERED, { nowMs: NOW + 20_000 });
    // Not all at once: the next start comes by the rate.
    expect(startedAt(permits, NOW + 20_000)).toBe('c');
    expect(startedAt(permits, NOW + 20_999)).toBe('');
    expect(startedAt(permits, NOW + 21_000)).toBe('d');
  });

  it('of the probe makes the pause longer each time, up to a limit', () => {
    const permits = aQueue('a');
    let nowMs = NOW;
    const pauses: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const [probe] = permits.next(nowMs).granted;
      permits.end(probe?.turnId ?? '', refused(), { nowMs, again: asker(`a${String(n)}`) });
      pauses.push(pauseSeconds(permits, nowMs));
      nowMs = permits.state.pause?.untilMs ?? 0;
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900]);
    expect(permits.state.pause?.refusals).toBe(9);
  });

  it('of those who started before the pause changes nothing; they come first, in their old order', () => {
    const permits = aQueue('abcde', { maxAtOnce: 3 });
    permits.next(NOW);
    for (const name of 'bca') {
      permits.end(name, refused(), { nowMs: NOW + 1_000, again: asker(name.toUpperCase()) });
      expect(pauseSeconds(permits, NOW + 1_000)).toBe(15);
    }
    expect(permits.state.pause?.refusals).toBe(3);
    expect(permits.state.queue.map(({ turnId }) => turnId).join('')).toBe('ABCde');
  });

  it.each([
    ['soon after', 10_000, 30],
    ['long after', 20_000, 15],
  ])('%s a pause continues or begins the doubling', (_when, afterMs, seconds) => {
    const permits = aQueue('abc');
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW });
    permits.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(permits, NOW + 15_000)).toBe('c');
    permits.end('c', ANSWERED, { nowMs: NOW + 15_000 });
    permits.request(asker('d'));
    const nowMs = NOW + 15_000 + afterMs;
    expect(startedAt(permits, nowMs)).toBe('d');
    permits.end('d', refused(), { nowMs });
    expect(pauseSeconds(permits, nowMs)).toBe(seconds);
  });

  it('after a pause, of one who started before it, begins a pause but does not double it', () => {
    const permits = aQueue('abc');
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW });
    expect(startedAt(permits, NOW + 15_000)).toBe('c');
    permits.end('c', ANSWERED, { nowMs: NOW + 16_000 });
    permits.end('b', refused(), { nowMs: NOW + 17_000 });
    expect(pauseSeconds(permits, NOW + 17_000)).toBe(15);
  });

  it('that asks for a sign-in pauses for a minute at least', () => {
    const permits = aQueue('ab');
    permits.next(NOW);
    permits.end('a', refused('sign_in_required'), { nowMs: NOW });
    expect(pauseSeconds(permits, NOW)).toBe(60);
  });

  it('that names a time pauses until then, but not longer than a job waits', () => {
    const hourMs = 3_600_000;
    const permits = aQueue('ab');
    permits.next(NOW);
    permits.end('a', refused('quota_exceeded', NOW + 5 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(permits, NOW)).toBe(5 * 3600);
    permits.end('b', refused('quota_exceeded', NOW + 6 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(permits, NOW)).toBe(6 * 3600);
    const credulous = aQueue('a');
    credulous.next(NOW);
    credulous.end('a', refused('quota_exceeded', NOW + 9_000 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(credulous, NOW)).toBe(MAX_PAUSED_MS / 1000);
  });

  it('of one who started before the pause neither ends nor lengthens the work of its probe', () => {
    const permits = aQueue('abcd');
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW });
    expect(startedAt(permits, NOW + 15_000)).toBe('c');
    const { pause } = permits.state;
    // One that is known, and one whom an earlier limiter had let through.
    for (const name of 'bx') permits.end(name, refused(), { nowMs: NOW + 15_000 });
    expect(permits.state.pause).toEqual({ ...pause, refusals: 3 });
    permits.end('c', ANSWERED, { nowMs: NOW + 16_000 });
    expect(permits.state.pause).toBeUndefined();
  });

  it('of nobody that is known pauses too: an earlier limiter had granted the permit', () => {
    const permits = aQueue('');
    permits.end('x', refused(), { nowMs: NOW, again: asker('X') });
    expect(pauseSeconds(permits, NOW)).toBe(15);
    expect(startedAt(permits, NOW + 15_000)).toBe('X');
  });
});

describe('a probe', () => {
  const probing = (): Permits => {
    const permits = aQueue('abc', { maxAtOnce: 1 });
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW });
    expect(startedAt(permits, NOW + 15_000)).toBe('b');
    return permits;
  };

  it('that vanishes is replaced by the next', () => {
    const permits = probing();
    permits.end('b', WITHDRAWN, { nowMs: NOW + 16_000 });
    expect(permits.state.pause).toBeDefined();
    expect(startedAt(permits, NOW + 16_000)).toBe('c');
    expect(permits.state.pause?.probe?.turnId).toBe('c');
  });

  it('that is refused makes room for another: the platform may refuse one subject for ever', () => {
    const permits = aQueue('xabc', { maxAtOnce: 1 });
    let nowMs = NOW;
    let again = 0;
    const done: string[] = [];
    while (done.length < 3 && nowMs < NOW + 3_600_000) {
      const { granted, wakeAtMs = nowMs } = permits.next(nowMs);
      nowMs = Math.max(nowMs, wakeAtMs);
      for (const { turnId } of granted) {
        const isRefused = turnId.startsWith('x');
        const end = isRefused ? { nowMs, again: asker(`x${String((again += 1))}`) } : { nowMs };
        permits.end(turnId, isRefused ? refused() : ANSWERED, end);
        if (!isRefused) done.push(turnId);
      }
    }
    expect(done.join('')).toBe('abc');
    // It was refused twice before the others had their permits: as the first, and as the first probe.
    expect(again).toBe(2);
  });

  it('that works for a minute without a refusal has shown enough', () => {
    const permits = probing();
    expect(startedAt(permits, NOW + 74_999)).toBe('');
    permits.adopt({ ...LIMITS, maxAtOnce: 2 });
    expect(permits.next(NOW + 74_999).wakeAtMs).toBe(NOW + 75_000);
    expect(startedAt(permits, NOW + 75_000)).toBe('c');
    expect(permits.state.pause).toBeUndefined();
  });
});

describe('news of a pause', () => {
  const names = (permits: Permits): string =>
    permits
      .takeUntold(10)
      .askers.map(({ turnId }) => turnId)
      .join('');

  it('reach everyone who waits, once: at its start, when it becomes longer, and at its end', () => {
    const permits = aQueue('abcd');
    expect(names(permits)).toBe('');
    permits.next(NOW);
    permits.end('a', refused(), { nowMs: NOW, again: asker('A') });
    expect(permits.takeUntold(1)).toEqual({
      askers: [asker('A')],
      notice: {
        state: 'paused',
        code: 'rate_limited',
        reason: 'The platform limits us.',
        untilMs: NOW + 15_000,
      },
    });
    expect(names(permits)).toBe('cd');
    permits.request(asker('e'));
    expect(names(permits)).toBe('e');
    permits.end('b', refused(), { nowMs: NOW, again: asker('B') });
    expect(names(permits)).toBe('B');
    permits.next(NOW + 15_000);
    permits.end('A', refused(), { nowMs: NOW + 16_000, again: asker('A2') });
    expect(names(permits)).toBe('BcdeA2');
    permits.next(NOW + 46_000);
    permits.end('B', ANSWERED, { nowMs: NOW + 47_000 });
    permits.next(NOW + 47_000);
    const askers = ['d', 'e', 'A2'].map(asker);
    expect(permits.takeUntold(10)).toEqual({ askers, notice: { state: 'open' } });
    permits.request(asker('f'));
    expect(names(permits)).toBe('');
  });
});

describe('holders', () => {
  it('are looked at once a minute while others wait', () => {
    const permits = aQueue('ab');
    permits.next(NOW);
    expect([permits.nextCheckMs, permits.takeUnseen(NOW + 90_000)]).toEqual([undefined, []]);
    permits.request(asker('c'));
    expect([permits.nextCheckMs, permits.takeUnseen(NOW + 59_999)]).toEqual([NOW + 60_000, []]);
    expect(permits.takeUnseen(NOW + 60_000)).toEqual([asker('a'), asker('b')]);
    expect([permits.nextCheckMs, permits.takeUnseen(NOW + 60_001)]).toEqual([NOW + 120_000, []]);
  });

  it('are looked at when the first of them is due, and never while there are none', () => {
    const permits = aQueue('a');
    expect(permits.nextCheckMs).toBeUndefined();
    permits.next(NOW);
    for (const name of 'bc') permits.request(asker(name));
    permits.next(NOW + 30_000);
    expect(permits.nextCheckMs).toBe(NOW + 60_000);
    expect(permits.takeUnseen(NOW + 60_000)).toEqual([asker('a')]);
    expect(permits.nextCheckMs).toBe(NOW + 90_000);
  });
});

describe('a limiter', () => {
  it('is idle when nobody waits or works, and no pause is to be remembered', () => {
    expect(aQueue('').idleFromMs(NOW)).toBe(NOW);
    const permits = aQueue('a');
    expect(permits.idleFromMs(NOW)).toBeUndefined();
    permits.next(NOW);
    expect(permits.idleFromMs(NOW)).toBeUndefined();
    permits.end('a', refused(), { nowMs: NOW });
    expect(permits.idleFromMs(NOW)).toBe(NOW + 15_000);
    expect(permits.idleFromMs(NOW + 20_000)).toBe(NOW + 20_000);
  });
});

describe('any order of events', () => {
  type Step = { readonly what: 'ask' | 'answer' | 'refuse' | 'withdraw' | 'pass'; readonly which: number };
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('ask', 'ask', 'answer', 'refuse', 'withdraw', 'pass', 'pass'),
    which: fc.nat(50),
  });
  const limits = fc.record({
    maxAtOnce: fc.integer({ min: 1, max: 4 }),
    startsPerMinute: fc.integer({ min: 1, max: 120 }),
    firstPauseSeconds: fc.constant(15),
    maxPauseSeconds: fc.constant(900),
  });

  /** Plays the steps, with the state handed to a new instance each time, as a continued run does. */
  function play(
    steps: readonly Step[],
    start: RouteLimits,
    check: (before: PermitsState, after: PermitsState) => void,
  ) {
    let permits = new Permits(initialPermits(start));
    let nowMs = NOW;
    let asked = 0;
    const starts: { atMs: number; turnId: string; place: number }[] = [];
    const advance = (): void => {
      const before = permits.state;
      for (const { turnId, place } of permits.next(nowMs).granted) starts.push({ atMs: nowMs, turnId, place });
      check(before, permits.state);
      permits = new Permits(JSON.parse(JSON.stringify(permits.state)) as PermitsState);
    };
    const endOf = { answer: ANSWERED, refuse: refused(), withdraw: WITHDRAWN };
    for (const { what, which } of steps) {
      const before = permits.state;
      const { holders, queue } = before;
      if (what === 'ask') permits.request(asker(`t${String((asked += 1))}`));
      else if (what === 'pass') nowMs += which * 1_000;
      else {
        const among = what === 'withdraw' ? [...holders, ...queue] : holders;
        const one = among[which % Math.max(1, among.length)];
        const again = what === 'refuse' ? asker(`t${String((asked += 1))}`) : undefined;
        if (one !== undefined) permits.end(one.turnId, endOf[what], { nowMs, again });
      }
      check(before, permits.state);
      advance();
    }
    // The next run of the limiter takes nothing else.
    expect(permitsSchema.parse(permits.state)).toEqual(permits.state);
    /** From here on the platform answers everyone. */
    const finish = (): void => {
      for (let rounds = 0; permits.state.queue.length + permits.state.holders.length > 0; rounds += 1) {
        if (rounds > 10_000) throw new Error('somebody waits for ever');
        for (const { turnId } of permits.state.holders) permits.end(turnId, ANSWERED, { nowMs });
        const { granted, wakeAtMs } = permits.next(nowMs);
        if (granted.length === 0 && wakeAtMs !== undefined) nowMs = Math.max(nowMs, wakeAtMs);
      }
    };
    return { starts, finish };
  }

  it('keeps the number at once, one probe alone, and a pause that never becomes shorter', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), limits, (steps, start) => {
        play(steps, start, (before, after) => {
          expect(after.holders.length).toBeLessThanOrEqual(start.maxAtOnce);
          const places = after.queue.map(({ place }) => place);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          if (before.pause === undefined || after.pause === undefined) return;
          expect(after.pause.untilMs).toBeGreaterThanOrEqual(before.pause.untilMs);
          // Whoever got a permit in the pause is its probe, and there was none before.
          const news = after.holders.filter(({ turnId }) => !before.holders.some((one) => one.turnId === turnId));
          expect(news.length).toBeLessThanOrEqual(1);
          for (const { turnId } of news) {
            expect(after.pause.probe?.turnId).toBe(turnId);
            expect(before.pause.probe).toBeUndefined();
          }
        });
      }),
      { numRuns: 500 },
    );
  });

  it('lets everybody have a permit in the end, and never more starts than the rate allows', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), limits, (steps, start) => {
        const { starts, finish } = play(steps, start, () => undefined);
        for (const [index, { atMs }] of starts.entries()) {
          const inMinute = starts.slice(index).filter((one) => one.atMs < atMs + 60_000).length;
          expect(inMinute).toBeLessThanOrEqual(start.startsPerMinute + start.maxAtOnce);
        }
        finish();
      }),
      { numRuns: 300 },
    );
  });
});
