import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { eventStream, type EventStreamOptions } from '../../api/edge/event-stream.ts';
import { createJobWatches, WATCH_LIMITS, stateOf, type WatchLimits } from '../../api/events/job-watches.ts';
import { createMailbox } from '../../api/events/mailbox.ts';
import type { StreamedEvent } from '../../api/operations/operation.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { ItemStream } from '../../contract/http/streams.ts';

const never = (): AbortSignal => new AbortController().signal;

function aRecord(id: string, isEnded = false): DownloadRecord {
  const pending = pendingRecordOf({
    ...{ recordId: id, type: 'audio', subjectId: `audio/${id}`, mediaId: id, createdAt: '2026-11-21T09:30:00.123456Z' },
    ...{ price: 5, startedBy: 'anonymous' },
  });
  if (!isEnded) return pending;
  return { ...pending, status: 'success', charge: 5, files: [], finishedAt: '2026-11-21T09:31:00.123456Z' };
}

describe('an event stream', () => {
  const options: EventStreamOptions = {
    ...{
      stopping: never(),
      waitForRoom: () => Promise.resolve(() => undefined),
      isStillAuthorized: () => Promise.resolve(true),
      onCut: () => undefined,
    },
  };
  async function* twoEvents(waitMs: number): AsyncGenerator<StreamedEvent<object>> {
    yield { id: '1', body: { text: 'a\nb' } };
    await delay(waitMs);
    yield {
      id: '2',
      body: {
        list: new ItemStream(async function* () {
          yield await Promise.resolve([1, 2]);
        }),
      },
    };
  }

  it('sends heartbeats between events, and starts with the ID from which a reader continues', async () => {
    const withBeats = { ...options, heartbeatMs: 20 };
    const text = await new Response(eventStream(() => ({ stream: twoEvents(70), from: 'here' }), withBeats)).text();
    expect(text).toMatch(
      /^retry: 2000\nid: here\n\ndata: \{"text":"a\\nb"\}\nid: 1\n\n(?::\n\n){1,4}data: \{"list":\[1,2\]\}\nid: 2\n\n$/,
    );
  });

  it('creates events only as fast as they are read', async () => {
    let made = 0;
    const events = async function* (): AsyncGenerator<StreamedEvent<number>> {
      for (;;) yield await Promise.resolve({ id: String((made += 1)), body: made });
    };
    const reader = eventStream(() => ({ stream: events() }), options).getReader();
    await delay(30);
    expect(made).toBe(0);
    for (let reads = 0; reads < 4; reads += 1) await reader.read();
    await delay(30);
    expect(made).toBe(3);
    await reader.cancel();
  });

  it('ends at once when its reader leaves', async () => {
    const opened: AbortSignal[] = [];
    const open = (left: AbortSignal) => {
      opened.push(left);
      const mailbox = createMailbox(left, never());
      const events = async function* (): AsyncGenerator<StreamedEvent<unknown>> {
        for (let state = await mailbox.next(); state !== undefined; state = await mailbox.next())
          yield { id: state.eventId, body: null };
      };
      return { stream: events() };
    };
    const reader = eventStream(open, options).getReader();
    await reader.read();
    const pending = reader.read();
    await reader.cancel();
    expect([opened[0]?.aborted, (await pending).done]).toEqual([true, true]);
  });

  it('is cut off when an event cannot be created, and ends in order when the process stops', async () => {
    const failing = async function* (): AsyncGenerator<StreamedEvent<unknown>> {
      await Promise.reject(new Error('no such piece'));
    };
    const onCut = vi.fn();
    const cut = new Response(eventStream(() => ({ stream: failing() }), { ...options, onCut })).text();
    await expect(cut).rejects.toThrow('no such piece');
    expect(onCut).toHaveBeenCalledOnce();
    const stopping = AbortSignal.abort();
    const ended = await new Response(
      eventStream(() => ({ stream: failing() }), { ...options, stopping, onCut }),
    ).text();
    expect(ended).toBe('retry: 2000\n\n');
    expect(onCut).toHaveBeenCalledOnce();
  });
});

describe('a mailbox', () => {
  const states = (id: string) => [1, 2, 3].map((percent) => stateOf(aRecord(id), { stage: 'fetching', percent }));

  it('keeps the current state of each job, and the time of the first end that was not read', async () => {
    const mailbox = createMailbox(never(), never());
    for (const state of [...states('a'), ...states('b'), stateOf(aRecord('b', true))]) mailbox.put(state);
    expect(mailbox.firstEndMs()).toBe(Date.parse('2026-11-21T09:31:00.123Z'));
    expect((await mailbox.next())?.progress?.percent).toBe(3);
    expect((await mailbox.next())?.record.status).toBe('success');
    expect(mailbox.firstEndMs()).toBe(Infinity);
    mailbox.close();
    expect(await mailbox.next()).toBeUndefined();
  });

  it('ends for a reader that is too far behind, and when the process stops, and removes its listener', async () => {
    const far = createMailbox(never(), never());
    for (let n = 0; n <= 5_000; n += 1) far.put(stateOf(aRecord(String(n))));
    expect(await far.next()).toBeUndefined();
    const stopping = new AbortController();
    const removed = vi.spyOn(stopping.signal, 'removeEventListener');
    const mailbox = createMailbox(never(), stopping.signal);
    const next = mailbox.next();
    stopping.abort();
    expect(await next).toBeUndefined();
    mailbox.close();
    expect(removed).toHaveBeenCalledOnce();
  });
});

describe('the watches of jobs', () => {
  const setUp = (given: Partial<WatchLimits>) => {
    const limits = { ...WATCH_LIMITS, ...given };
    const looks: string[] = [];
    const ended = new Set<string>();
    const look = (id: string) => {
      looks.push(id);
      return id === 'broken'
        ? Promise.reject(new Error('away'))
        : Promise.resolve({ record: aRecord(id, ended.has(id)) });
    };
    const log = pino({ level: 'silent' });
    const watches = createJobWatches({ readJob: look, now: () => Date.now(), log, limits });
    return { looks, ended, watches, log };
  };

  it('read the jobs first that have waited longest, and reserve some reads for lists', async () => {
    const { looks, watches } = setUp({ everyMs: 30, followed: 2, listed: 1 });
    const nothing = (): void => undefined;
    const leave = [
      ...['a', 'b', 'c', 'd'].map((id) => watches.watch(id, { caller: 'one' }, nothing)),
      ...['x', 'y'].map((id) => watches.watch(id, { caller: 'one', isListed: true }, nothing)),
    ];
    await expect.poll(() => looks.length).toBeGreaterThanOrEqual(12);
    expect(looks.slice(0, 12)).toEqual(['a', 'b', 'x', 'c', 'd', 'y', 'a', 'b', 'x', 'c', 'd', 'y']);
    for (const one of leave) one();
    const made = looks.length;
    await delay(100);
    expect(looks.length).toBeLessThanOrEqual(made + 3);
  });

  it.each([
    ['followed by themselves', false],
    ['followed by lists', true],
  ])('serve callers alternately, however many jobs each follows: %s', async (_how, isListed) => {
    const { looks, watches } = setUp({ everyMs: 20, followed: 4, listed: 4 });
    const follow = (id: string, caller: string) => watches.watch(id, { caller, isListed }, () => undefined);
    const leave = Array.from({ length: 500 }, (_, index) => follow(`many-${String(index)}`, 'many'));
    await expect.poll(() => looks.length).toBeGreaterThanOrEqual(4);
    leave.push(follow('few-1', 'few'), follow('few-2', 'few'), follow('single', 'single'));
    // A job with several callers is read when it is due for any of them.
    leave.push(follow('many-499', 'shared'));
    const from = looks.length;
    await expect.poll(() => looks.length).toBeGreaterThanOrEqual(from + 16);
    for (const one of leave) one();
    const next = looks.slice(from, from + 8);
    for (const id of ['few-1', 'single', 'many-499']) expect(next).toContain(id);
    expect(looks.slice(from, from + 16)).toContain('few-2');
  });

  it('serve more callers than a round has reads equally often', async () => {
    const { looks, watches } = setUp({ everyMs: 10, followed: 3, listed: 1 });
    const callers = Array.from({ length: 10 }, (_, index) => `caller-${String(index)}`);
    const leave = callers.flatMap((caller) =>
      Array.from({ length: caller === 'caller-0' ? 1 : 20 }, (_, index) =>
        watches.watch(`${caller}/${String(index)}`, { caller }, () => undefined),
      ),
    );
    await expect.poll(() => looks.length).toBeGreaterThanOrEqual(60);
    for (const one of leave) one();
    const counts = callers.map((caller) => looks.slice(0, 60).filter((id) => id.startsWith(`${caller}/`)).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
  });

  it('read a job no more often for a reader that reconnects', async () => {
    const { looks, watches } = setUp({ everyMs: 200, followed: 10, listed: 10 });
    const beganMs = performance.now();
    for (let times = 0; times < 20; times += 1) {
      const leave = watches.watch('a', { caller: 'one' }, () => undefined);
      await delay(10);
      leave();
    }
    expect(looks.length).toBeLessThanOrEqual(1 + (performance.now() - beganMs) / 200);
  });

  it('know up to which time all ends were reported, and log a job that cannot be read once', async () => {
    const { watches, log } = setUp({ everyMs: 10, followed: 10, listed: 10 });
    const warned = vi.spyOn(log, 'warn');
    const beganMs = Date.now();
    expect(watches.completeMs()).toBeGreaterThanOrEqual(beganMs);
    watches.watch('a', { caller: 'one' }, () => undefined);
    await expect.poll(() => watches.completeMs()).toBeGreaterThan(beganMs + 20);
    watches.watch('broken', { caller: 'one' }, () => undefined);
    await expect.poll(() => warned.mock.calls.length).toBeGreaterThan(0);
    const { length } = warned.mock.calls;
    const brokenMs = Date.now();
    await delay(60);
    expect(watches.completeMs()).toBeLessThanOrEqual(brokenMs);
    expect([length, warned.mock.calls.length]).toEqual([1, 1]);
  });
});
