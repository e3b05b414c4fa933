import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPositionTracker, LATE_MS, parsePosition } from '../../api/events/position.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { readEvents, type EventReader } from '../helpers/event-reader.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

let facades: Facades;
/** Another process on the same database. */
let other: Facades;
beforeAll(async () => {
  const looks = { everyMs: 100, listsEveryMs: 300 };
  facades = await startFacades(undefined, { looks });
  other = await startFacades(undefined, { looks, database: facades.db.databaseName });
  for (const { jobs } of [facades, other]) {
    jobs.status.mockResolvedValue({ state: 'running', progress: { stage: 'fetching', percent: 10 } });
  }
});
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers) reader.leave();
  await Promise.all(readers.splice(0).map(({ over }) => over));
});
afterAll(async () => {
  await other.close();
  await facades.close();
});

const success = { status: 'success', result: { durationSeconds: 61 } } as const;
type Headers = Readonly<Record<string, string>>;

async function aKey(): Promise<Headers> {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await facades.deps.accounts.open(key.id, undefined);
  return { authorization: `Bearer ${key.text}` };
}
async function followAll(headers: Headers, lastEventId?: string, { url } = facades): Promise<EventReader> {
  const resumed: Headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const reader = await readEvents(`${url}/api/downloads/events`, { ...headers, ...resumed });
  readers.push(reader);
  return reader;
}
/** Starts a job. @returns its ID */
async function started(headers: Headers, { url } = facades): Promise<string> {
  const body = JSON.stringify({ vidnet_video_id: Math.random().toString(36).slice(2).padEnd(11, 'x').slice(0, 11) });
  const answer = await fetch(`${url}/api/downloads/audio`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}
const end = (id: string) => finishRecord(facades.deps.records, id, success);
type Seen = readonly [id: string, status: string];
const seen = ({ received }: EventReader): Seen[] =>
  received.map(({ data }) => {
    const { id, status } = data['data'] as { id: string; status: string };
    return [id, status];
  });
const sees = (reader: EventReader, id: string, status: string): Promise<unknown> =>
  until(() => seen(reader).some((one) => one.join() === [id, status].join()), {
    // On a busy machine a read may take a second, and the next one then comes 20 s later.
    within: 100_000,
    what: `${id} ${status}`,
  });

describe('GET /api/downloads/events', () => {
  it('streams the pending downloads, each start and each end, in the JSON of polls', async () => {
    const key = await aKey();
    const old = await started(key);
    await end(old);
    const first = await started(key);
    const reader = await followAll(key);
    await sees(reader, first, 'pending');
    const second = await started(key);
    await sees(reader, second, 'pending');
    await end(first);
    await sees(reader, first, 'success');
    await end(second);
    await sees(reader, second, 'success');
    expect(seen(reader)).toEqual([
      [first, 'pending'],
      [second, 'pending'],
      [first, 'success'],
      [second, 'success'],
    ]);
    expect(reader.received.at(-1)?.data).toEqual(await (await fetch(`${facades.url}/downloads/${second}`)).json());
    expect(reader.end).toBeUndefined();
  });

  it('streams to each caller the downloads of its own list', async () => {
    const [one, another] = [await aKey(), await aKey()];
    const all = await Promise.all([followAll(one), followAll(another), followAll({})]);
    const mine = await started(one);
    const anonymous = await started({});
    await sees(all[0], mine, 'pending');
    await sees(all[2], anonymous, 'pending');
    await delay(700);
    expect(all.map(seen)).toEqual([[[mine, 'pending']], [], [[anonymous, 'pending']]]);
  });

  it('streams downloads that another process has accepted', async () => {
    const key = await aKey();
    const reader = await followAll(key);
    await delay(300);
    const id = await started(key, other);
    await sees(reader, id, 'pending');
    const quick = await started(key, other);
    await end(quick);
    await sees(reader, quick, 'success');
  }, 240_000);

  it('reads a list once for all readers of the same list', async () => {
    const key = await aKey();
    await started(key);
    const lists = vi.spyOn(facades.deps.keyDownloads, 'list');
    const many = await Promise.all(Array.from({ length: 20 }, () => followAll(key)));
    await until(() => many.every(({ received }) => received.length === 1));
    lists.mockClear();
    const beganMs = performance.now();
    await until(() => lists.mock.calls.length > 1);
    expect(lists.mock.calls.length).toBeLessThanOrEqual(1 + (performance.now() - beganMs) / 300);
    lists.mockRestore();
  }, 240_000);
});

describe('a reader of all downloads that reconnects', () => {
  it('receives each end once from any process, and the changes during its absence', async () => {
    const key = await aKey();
    const [received, missed, running] = [await started(key), await started(key), await started(key)];
    const first = await followAll(key);
    for (const id of [received, missed, running]) await sees(first, id, 'pending');
    await end(received);
    await sees(first, received, 'success');
    first.leave();
    await end(missed);
    const begun = await started(key);
    const unseen = await started(key);
    await end(unseen);
    const second = await followAll(key, first.lastEventId, other);
    for (const id of [missed, unseen]) await sees(second, id, 'success');
    for (const id of [running, begun]) await sees(second, id, 'pending');
    expect(seen(second)).toHaveLength(4);
    second.leave();
    await end(running);
    await end(begun);
    const third = await followAll(key, second.lastEventId);
    await sees(third, running, 'success');
    await sees(third, begun, 'success');
    await delay(700);
    expect(seen(third)).toHaveLength(2);
  }, 240_000);

  it('continues from its start if it received no event', async () => {
    const key = await aKey();
    const first = await followAll(key);
    await until(() => first.lastEventId !== '');
    first.leave();
    const missed = await started(key);
    await end(missed);
    const second = await followAll(key, first.lastEventId, other);
    await sees(second, missed, 'success');
    expect(seen(second)).toHaveLength(1);
  });

  it('starts anew with an invalid event ID', async () => {
    const key = await aKey();
    const ended = await started(key);
    await end(ended);
    const running = await started(key);
    const reader = await followAll(key, 'not one of ours');
    await sees(reader, running, 'pending');
    expect(seen(reader)).toEqual([[running, 'pending']]);
  });
});

describe('the ID of an event of all downloads', () => {
  const idOf = (n: number): string => `01JD5Z3K6VQ0W8R9T2X4Y6${String(1000 + n)}`;

  it('contains the recent ends and the time before which all ends are known', () => {
    const tracker = createPositionTracker(undefined, 1_000_000);
    expect(parsePosition(tracker.text(0))).toEqual({ sinceMs: 1_000_000 - LATE_MS, reported: [] });
    tracker.markReported(idOf(1), 950_000);
    tracker.markReported(idOf(2), 990_000);
    expect(parsePosition(tracker.text(0))).toEqual({ sinceMs: 940_000, reported: [idOf(1), idOf(2)] });
    expect(parsePosition(tracker.text(960_000))).toEqual({ sinceMs: 960_000, reported: [idOf(2)] });
    // The time never goes back.
    expect(parsePosition(tracker.text(0))?.sinceMs).toBe(960_000);
  });

  it('stays short however many downloads end at once', () => {
    const tracker = createPositionTracker(undefined, 1_000_000);
    for (let n = 0; n < 500; n += 1) tracker.markReported(idOf(n), 950_000 + n);
    const position = parsePosition(tracker.text(0));
    expect(position?.reported).toHaveLength(100);
    expect(position?.sinceMs).toBe(950_400);
  });

  it.each(['', 'x.', '!', 'abc.01JD', `abc${'.01JD5Z3K6VQ0W8R9T2X4Y6B8CD'.repeat(101)}`, 'abcdefghij'])(
    'is not %j',
    (text) => {
      expect(parsePosition(text)).toBeUndefined();
    },
  );
});
