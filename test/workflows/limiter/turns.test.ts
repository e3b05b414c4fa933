import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PARKED_MS, type Asker, type RouteLimits } from '../../../runtime/pacing.ts';
import type { FailureCode } from '../../../contract/failures.ts';
import { initialTurns, Turns, type TurnEnd, type TurnsState } from '../../../workflows/limiter/turns.ts';

const LIMITS: RouteLimits = { maxAtOnce: 2, startsPerMinute: 60, firstPauseSeconds: 15, maxPauseSeconds: 900 };
const NOW = Date.UTC(2026, 10, 21);

const asker = (turnId: string): Asker => ({ turnId, workflowId: `audio/${turnId}`, runId: `run-${turnId}` });
const refused = (code: FailureCode = 'rate_limited', retryAtMs?: number): TurnEnd => ({
  kind: 'refused',
  ...{ code, message: 'The platform limits us.' },
  ...(retryAtMs === undefined ? {} : { retryAtMs }),
});
const ANSWERED: TurnEnd = { kind: 'answered' };
const WITHDRAWN: TurnEnd = { kind: 'withdrawn' };

function aQueue(names: string, limits: Partial<RouteLimits> = {}): Turns {
  const turns = new Turns(initialTurns({ ...LIMITS, ...limits }));
  for (const name of names) turns.ask(asker(name));
  return turns;
}
const startedAt = (turns: Turns, nowMs: number): string =>
  turns
    .next(nowMs)
    .granted.map(({ turnId }) => turnId)
    .join('');
/** How long the present pause lasts from a time on, in seconds. */
const pauseSeconds = (turns: Turns, nowMs: number): number => ((turns.state.pause?.untilMs ?? 0) - nowMs) / 1000;

describe('turns', () => {
  it('are granted in the order of the asks, as many at once as the route allows', () => {
    const turns = aQueue('abcd');
    expect(startedAt(turns, NOW)).toBe('ab');
    expect(startedAt(turns, NOW + 60_000)).toBe('');
    turns.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(turns, NOW + 60_000)).toBe('c');
  });

  it('start as often as the route allows', () => {
    const turns = aQueue('abcd', { maxAtOnce: 3, startsPerMinute: 6 });
    expect(startedAt(turns, NOW)).toBe('abc');
    turns.end('a', ANSWERED, { nowMs: NOW });
    expect(turns.next(NOW)).toEqual({ granted: [], wakeAtMs: NOW + 10_000 });
    expect(startedAt(turns, NOW + 9_999)).toBe('');
    expect(startedAt(turns, NOW + 10_000)).toBe('d');
  });

  it('are kept by who asks again', () => {
    const turns = aQueue('abc');
    turns.next(NOW);
    for (const name of 'abc') turns.ask(asker(name));
    turns.end('a', ANSWERED, { nowMs: NOW });
    turns.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(turns, NOW + 10_000)).toBe('c');
    expect(turns.state.queue).toEqual([]);
  });

  it('follow limits that have changed', () => {
    const turns = aQueue('abcd');
    turns.adopt({ ...LIMITS, maxAtOnce: 4 });
    expect(startedAt(turns, NOW)).toBe('abcd');
  });

  it('pass over who withdraws', () => {
    const turns = aQueue('abcd');
    turns.end('a', WITHDRAWN, { nowMs: NOW });
    expect(startedAt(turns, NOW)).toBe('bc');
    turns.end('b', WITHDRAWN, { nowMs: NOW });
    expect(startedAt(turns, NOW + 5_000)).toBe('d');
  });

  it('do not grow without bound: who comes to a full queue asks again later', () => {
    const turns = aQueue('ab');
    turns.next(NOW);
    for (let n = 0; n < 6_000; n += 1) turns.ask(asker(`more-${String(n)}`));
    expect(turns.state.queue).toHaveLength(5_000);
    expect(JSON.stringify(turns.state).length).toBeLessThan(1_900_000);
  });
});

describe('a refusal of the platform', () => {
  it('stops all starts, then lets a single probe through, whose answer reopens the route', () => {
    const turns = aQueue('abcdef');
    turns.next(NOW);
    turns.end('a', refused(), { nowMs: NOW, again: asker('A') });
    expect(pauseSeconds(turns, NOW)).toBe(15);
    expect(turns.next(NOW)).toEqual({ granted: [], wakeAtMs: NOW + 15_000 });
    expect(startedAt(turns, NOW + 14_999)).toBe('');
    turns.end('b', ANSWERED, { nowMs: NOW + 14_999 });
    expect(startedAt(turns, NOW + 15_000)).toBe('A');
    expect(startedAt(turns, NOW + 20_000)).toBe('');
    turns.end('A', ANSWERED, { nowMs: NOW + 20_000 });
    // Not all at once: the next start comes by the rate.
    expect(startedAt(turns, NOW + 20_000)).toBe('c');
    expect(startedAt(turns, NOW + 20_999)).toBe('');
    expect(startedAt(turns, NOW + 21_000)).toBe('d');
  });

  it('of the probe makes the pause longer each time, up to a limit', () => {
    const turns = aQueue('a');
    let nowMs = NOW;
    const pauses: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const [probe] = turns.next(nowMs).granted;
      turns.end(probe?.turnId ?? '', refused(), { nowMs, again: asker(`a${String(n)}`) });
      pauses.push(pauseSeconds(turns, nowMs));
      nowMs = turns.state.pause?.untilMs ?? 0;
    }
    expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it('of those who started before the pause changes nothing; they come first, in their old order', () => {
    const turns = aQueue('abcde', { maxAtOnce: 3 });
    turns.next(NOW);
    for (const name of 'bca') {
      turns.end(name, refused(), { nowMs: NOW + 1_000, again: asker(name.toUpperCase()) });
      expect(pauseSeconds(turns, NOW + 1_000)).toBe(15);
    }
    expect(turns.state.pause?.refusals).toBe(3);
    expect(turns.state.queue.map(({ turnId }) => turnId).join('')).toBe('ABCde');
  });

  it.each([
    ['soon after', 10_000, 30],
    ['long after', 20_000, 15],
  ])('%s a pause continues or begins the doubling', (_when, afterMs, seconds) => {
    const turns = aQueue('abc');
    turns.next(NOW);
    turns.end('a', refused(), { nowMs: NOW });
    turns.end('b', ANSWERED, { nowMs: NOW });
    expect(startedAt(turns, NOW + 15_000)).toBe('c');
    turns.end('c', ANSWERED, { nowMs: NOW + 15_000 });
    turns.ask(asker('d'));
    const nowMs = NOW + 15_000 + afterMs;
    expect(startedAt(turns, nowMs)).toBe('d');
    turns.end('d', refused(), { nowMs });
    expect(pauseSeconds(turns, nowMs)).toBe(seconds);
  });

  it('after a pause, of one who started before it, begins a pause but does not double it', () => {
    const turns = aQueue('abc');
    turns.next(NOW);
    turns.end('a', refused(), { nowMs: NOW });
    expect(startedAt(turns, NOW + 15_000)).toBe('c');
    turns.end('c', ANSWERED, { nowMs: NOW + 16_000 });
    turns.end('b', refused(), { nowMs: NOW + 17_000 });
    expect(pauseSeconds(turns, NOW + 17_000)).toBe(15);
  });

  it('that asks for a sign-in pauses for a minute at least', () => {
    const turns = aQueue('ab');
    turns.next(NOW);
    turns.end('a', refused('sign_in_required'), { nowMs: NOW });
    expect(pauseSeconds(turns, NOW)).toBe(60);
  });

  it('that names a time pauses until then, but not longer than a job waits', () => {
    const hourMs = 3_600_000;
    const turns = aQueue('ab');
    turns.next(NOW);
    turns.end('a', refused('quota_exceeded', NOW + 5 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(turns, NOW)).toBe(5 * 3600);
    turns.end('b', refused('quota_exceeded', NOW + 6 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(turns, NOW)).toBe(6 * 3600);
    const credulous = aQueue('a');
    credulous.next(NOW);
    credulous.end('a', refused('quota_exceeded', NOW + 9_000 * hourMs), { nowMs: NOW });
    expect(pauseSeconds(credulous, NOW)).toBe(MAX_PARKED_MS / 1000);
  });

  it('of nobody that is known pauses too: an earlier limiter had granted the turn', () => {
    const turns = aQueue('');
    turns.end('x', refused(), { nowMs: NOW, again: asker('X') });
    expect(pauseSeconds(turns, NOW)).toBe(15);
    expect(startedAt(turns, NOW + 15_000)).toBe('X');
  });
});

describe('a probe', () => {
  const probing = (): Turns => {
    const turns = aQueue('abc', { maxAtOnce: 1 });
    turns.next(NOW);
    turns.end('a', refused(), { nowMs: NOW });
    expect(startedAt(turns, NOW + 15_000)).toBe('b');
    return turns;
  };

  it('that vanishes is replaced by the next', () => {
    const turns = probing();
    turns.end('b', WITHDRAWN, { nowMs: NOW + 16_000 });
    expect(turns.state.pause).toBeDefined();
    expect(startedAt(turns, NOW + 16_000)).toBe('c');
    expect(turns.state.pause?.probe?.turnId).toBe('c');
  });

  it('that is refused makes room for another: the platform may refuse one subject for ever', () => {
    const turns = aQueue('xabc', { maxAtOnce: 1 });
    let nowMs = NOW;
    let again = 0;
    const done: string[] = [];
    while (done.length < 3 && nowMs < NOW + 3_600_000) {
      const { granted, wakeAtMs = nowMs } = turns.next(nowMs);
      nowMs = Math.max(nowMs, wakeAtMs);
      for (const { turnId } of granted) {
        const isRefused = turnId.startsWith('x');
        const end = isRefused ? { nowMs, again: asker(`x${String((again += 1))}`) } : { nowMs };
        turns.end(turnId, isRefused ? refused() : ANSWERED, end);
        if (!isRefused) done.push(turnId);
      }
    }
    expect(done.join('')).toBe('abc');
    // It was refused twice before the others had their turns: as the first, and as the first probe.
    expect(again).toBe(2);
  });

  it('that works for a minute without a refusal has shown enough', () => {
    const turns = probing();
    expect(startedAt(turns, NOW + 74_999)).toBe('');
    turns.adopt({ ...LIMITS, maxAtOnce: 2 });
    expect(turns.next(NOW + 74_999).wakeAtMs).toBe(NOW + 75_000);
    expect(startedAt(turns, NOW + 75_000)).toBe('c');
    expect(turns.state.pause).toBeUndefined();
  });
});

describe('news of a pause', () => {
  const names = (turns: Turns): string =>
    turns
      .takeUntold(10)
      .askers.map(({ turnId }) => turnId)
      .join('');

  it('reach everyone who waits, once: at its start, when it becomes longer, and at its end', () => {
    const turns = aQueue('abcd');
    expect(names(turns)).toBe('');
    turns.next(NOW);
    turns.end('a', refused(), { nowMs: NOW, again: asker('A') });
    expect(turns.takeUntold(1)).toEqual({
      askers: [asker('A')],
      notice: {
        state: 'paused',
        code: 'rate_limited',
        reason: 'The platform limits us.',
        untilMs: NOW + 15_000,
      },
    });
    expect(names(turns)).toBe('cd');
    turns.ask(asker('e'));
    expect(names(turns)).toBe('e');
    turns.end('b', refused(), { nowMs: NOW, again: asker('B') });
    expect(names(turns)).toBe('B');
    turns.next(NOW + 15_000);
    turns.end('A', refused(), { nowMs: NOW + 16_000, again: asker('A2') });
    expect(names(turns)).toBe('BcdeA2');
    turns.next(NOW + 46_000);
    turns.end('B', ANSWERED, { nowMs: NOW + 47_000 });
    turns.next(NOW + 47_000);
    const askers = ['d', 'e', 'A2'].map(asker);
    expect(turns.takeUntold(10)).toEqual({ askers, notice: { state: 'open' } });
    turns.ask(asker('f'));
    expect(names(turns)).toBe('');
  });
});

describe('holders', () => {
  it('are looked at once a minute while others wait', () => {
    const turns = aQueue('ab');
    turns.next(NOW);
    expect([turns.nextCheckMs, turns.takeUnseen(NOW + 90_000)]).toEqual([undefined, []]);
    turns.ask(asker('c'));
    expect([turns.nextCheckMs, turns.takeUnseen(NOW + 59_999)]).toEqual([NOW + 60_000, []]);
    expect(turns.takeUnseen(NOW + 60_000)).toEqual([asker('a'), asker('b')]);
    expect([turns.nextCheckMs, turns.takeUnseen(NOW + 60_001)]).toEqual([NOW + 120_000, []]);
  });
});

describe('a limiter', () => {
  it('is idle when nobody waits or works, and no pause is to be remembered', () => {
    const turns = aQueue('a');
    expect(turns.idleFromMs(NOW)).toBeUndefined();
    turns.next(NOW);
    expect(turns.idleFromMs(NOW)).toBeUndefined();
    turns.end('a', refused(), { nowMs: NOW });
    expect(turns.idleFromMs(NOW)).toBe(NOW + 15_000);
    expect(turns.idleFromMs(NOW + 20_000)).toBe(NOW + 20_000);
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
  function play(steps: readonly Step[], start: RouteLimits, check: (before: TurnsState, after: TurnsState) => void) {
    let turns = new Turns(initialTurns(start));
    let nowMs = NOW;
    let asked = 0;
    const starts: { atMs: number; turnId: string; place: number }[] = [];
    const advance = (): void => {
      const before = turns.state;
      for (const { turnId, place } of turns.next(nowMs).granted) starts.push({ atMs: nowMs, turnId, place });
      check(before, turns.state);
      turns = new Turns(JSON.parse(JSON.stringify(turns.state)) as TurnsState);
    };
    const endOf = { answer: ANSWERED, refuse: refused(), withdraw: WITHDRAWN };
    for (const { what, which } of steps) {
      const before = turns.state;
      const { holders, queue } = before;
      if (what === 'ask') turns.ask(asker(`t${String((asked += 1))}`));
      else if (what === 'pass') nowMs += which * 1_000;
      else {
        const among = what === 'withdraw' ? [...holders, ...queue] : holders;
        const one = among[which % Math.max(1, among.length)];
        const again = what === 'refuse' ? asker(`t${String((asked += 1))}`) : undefined;
        if (one !== undefined) turns.end(one.turnId, endOf[what], { nowMs, again });
      }
      check(before, turns.state);
      advance();
    }
    /** From here on the platform answers everyone. */
    const finish = (): void => {
      for (let rounds = 0; turns.state.queue.length + turns.state.holders.length > 0; rounds += 1) {
        if (rounds > 10_000) throw new Error('somebody waits for ever');
        for (const { turnId } of turns.state.holders) turns.end(turnId, ANSWERED, { nowMs });
        const { granted, wakeAtMs } = turns.next(nowMs);
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
          // Whoever got a turn in the pause is its probe, and there was none before.
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

  it('lets everybody have a turn in the end, and never more starts than the rate allows', () => {
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
