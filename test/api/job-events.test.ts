import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { STREAM_BYTES } from '../../api/edge/answer-budget.ts';
import type { Progress } from '../../contract/http/fields.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { readEvents, type EventReader } from '../helpers/event-reader.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

const soon = { everyMs: 100 };
let facades: Facades;
/** Another process on the same database, which reads jobs as often as in production. */
let other: Facades;
beforeAll(async () => {
  facades = await startFacades(undefined, { looks: soon });
  const answerBudget = { streamsPerCaller: 200 };
  other = await startFacades(undefined, { database: facades.db.databaseName, answerBudget });
});
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers) reader.leave();
  await Promise.all(readers.splice(0).map(({ over }) => over));
  vi.restoreAllMocks();
});
afterAll(async () => {
  await other.close();
  await facades.close();
});

const success = { status: 'success', result: { durationSeconds: 61 } } as const;
const runs = (progress: Progress | undefined, { jobs } = facades): void =>
  void jobs.status.mockResolvedValue({ state: 'running', progress });
const aJob = async (): Promise<string> => (await keepJob(facades.deps.records, anAudioJob())).id;
async function follow(id: string, lastEventId?: string, { url } = facades): Promise<EventReader> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const reader = await readEvents(`${url}/api/downloads/${id}/events`, headers);
  readers.push(reader);
  return reader;
}
const states = ({ received }: EventReader): unknown[] =>
  received.map(({ data }) => {
    const { status, progress } = data['data'] as { status: string; progress?: Progress };
    return progress?.percent ?? status;
  });
const polled = async (id: string): Promise<unknown> => (await fetch(`${facades.url}/downloads/${id}`)).json();

describe('GET /api/downloads/{downloadId}/events', () => {
  it('streams the state of a job, each change and its end in the JSON of polls', async () => {
    const id = await aJob();
    runs({ stage: 'fetching', percent: 10 });
    const reader = await follow(id);
    const headersOf = ['content-type', 'cache-control', 'connection'].map((name) => reader.headers.get(name));
    expect([reader.status, ...headersOf]).toEqual([200, 'text/event-stream', 'no-store', 'close']);
    await until(() => reader.received.length === 1);
    runs({ stage: 'fetching', percent: 60 });
    await until(() => reader.received.length === 2);
    expect(reader.received.at(-1)?.data).toEqual(await polled(id));
    await finishRecord(facades.deps.records, id, success);
    expect(await reader.over).toBe('whole');
    expect(states(reader)).toEqual([10, 60, 'success']);
    expect(reader.received.at(-1)?.data).toEqual(await polled(id));
    expect(reader.text.startsWith('retry: 2000\n\n')).toBe(true);
  });

  it('keeps the known state while Temporal gives no answer', async () => {
    const id = await aJob();
    runs({ stage: 'fetching', percent: 10 });
    const reader = await follow(id);
    await until(() => reader.received.length === 1);
    const looks = facades.jobs.status.mockResolvedValue({ state: 'unknown' }).mock.calls.length;
    await until(() => facades.jobs.status.mock.calls.length > looks + 1);
    expect(states(reader)).toEqual([10]);
  });

  it('streams the end of a job whose workflow is gone', async () => {
    const id = await aJob();
    facades.jobs.status.mockResolvedValue({ state: 'gone' });
    const reader = await follow(id);
    expect(await reader.over).toBe('whole');
    expect(states(reader)).toEqual(['failed']);
  });

  it('costs one call of Temporal a second for 200 readers, and none when they have left', async () => {
    const id = await aJob();
    const { status } = other.jobs;
    runs({ stage: 'fetching', percent: 10 }, other);
    const beganMs = performance.now();
    const many = await Promise.all(Array.from({ length: 200 }, () => follow(id, undefined, other)));
    await until(() => many.every(({ received }) => received.length === 1));
    runs({ stage: 'fetching', percent: 20 }, other);
    await until(() => many.every(({ received }) => received.length === 2));
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(status.mock.calls.length).toBeLessThanOrEqual(seconds + 1);
    for (const reader of many) reader.leave();
    await until(async () => {
      const looks = status.mock.calls.length;
      await delay(1_200);
      return status.mock.calls.length === looks;
    });
  });
});

describe('a reader that reconnects', () => {
  it('receives each state once and every end from any process', async () => {
    const id = await aJob();
    runs({ stage: 'fetching', percent: 10 });
    runs({ stage: 'fetching', percent: 10 }, other);
    const first = await follow(id);
    await until(() => first.received.length === 1);
    first.leave();
    const looks = other.jobs.status.mock.calls.length;
    const second = await follow(id, first.lastEventId, other);
    await until(() => other.jobs.status.mock.calls.length > looks + 1);
    expect(second.received).toEqual([]);
    runs({ stage: 'fetching', percent: 20 }, other);
    await until(() => second.received.length === 1);
    second.leave();
    await finishRecord(facades.deps.records, id, success);
    const third = await follow(id, second.lastEventId);
    expect(await third.over).toBe('whole');
    expect([states(second), states(third)]).toEqual([[20], ['success']]);
    const last = await follow(id, third.lastEventId, other);
    expect([last.status, await last.over, last.text]).toEqual([204, 'whole', '']);
  });

  it('receives the current state with an ID of another job or an invalid one', async () => {
    const id = await aJob();
    await finishRecord(facades.deps.records, id, success);
    const ended = await aJob();
    await finishRecord(facades.deps.records, ended, success);
    for (const lastEventId of [`${ended}-success`, 'x']) {
      const reader = await follow(id, lastEventId);
      await reader.over;
      expect(states(reader)).toEqual(['success']);
    }
  });
});

describe('an event stream', () => {
  it.each(['01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 'x'])('of an unknown download is 404: %s', async (id) => {
    const answer = await fetch(`${facades.url}/api/downloads/${id}/events`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
  });

  it('has no body for HEAD, and allows no other method', async () => {
    const id = await aJob();
    const looks = vi.spyOn(facades.deps.watches, 'watch');
    const url = `${facades.url}/api/downloads/${id}/events`;
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect(looks).not.toHaveBeenCalled();
  });

  it('is refused to pages of other sites and to keys without the scope', async () => {
    const id = await aJob();
    const url = `${facades.url}/api/downloads/${id}/events`;
    expect((await fetch(url, { headers: { origin: 'https://elsewhere.example' } })).status).toBe(403);
    const { text } = await facades.deps.keys.create({ name: 'test', scopes: ['jobs'] });
    expect((await fetch(url, { headers: { authorization: `Bearer ${text}` } })).status).toBe(403);
  });

  it('ends within the 5 s after which requests of a revoked key are refused', async () => {
    const id = await aJob();
    runs({ stage: 'fetching' });
    const key = await facades.deps.keys.create({ name: 'test', scopes: ['read'] });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const url = `${facades.url}/api/downloads/${id}/events`;
      const reader = await readEvents(url, { authorization: `Bearer ${key.text}` });
      readers.push(reader);
      await until(() => reader.received.length === 1);
      await facades.deps.keys.revoke(key.id);
      const began = performance.now();
      for (const laterMs of [2_500, 5_000]) {
        vi.mocked(facades.deps.elapsed).mockImplementation(() => began + laterMs);
        await vi.advanceTimersByTimeAsync(2_500);
      }
      expect(await reader.over).toBe('whole');
      expect((await readEvents(url, { authorization: `Bearer ${key.text}` })).status).toBe(401);
    } finally {
      vi.useRealTimers();
      vi.mocked(facades.deps.elapsed).mockImplementation(() => performance.now());
    }
  });

  it('counts as one request, and polls of the job do not count', async () => {
    const limited = await startFacades(3, { looks: soon });
    try {
      runs({ stage: 'fetching' }, limited);
      const { id } = await keepJob(limited.deps.records, anAudioJob());
      const left = (answer: { headers: Headers }) => answer.headers.get('ratelimit-remaining');
      expect(left(await fetch(`${limited.url}/downloads/${id}`))).toBe('3');
      expect(left(await follow(id, undefined, limited))).toBe('2');
      expect(left(await follow(id, undefined, limited))).toBe('1');
      expect(left(await follow(id, undefined, limited))).toBe('0');
      expect((await follow(id, undefined, limited)).status).toBe(429);
    } finally {
      for (const reader of readers) reader.leave();
      await limited.close();
    }
  });

  it('ends in order when the process is about to stop', async () => {
    const stopped = await startFacades(undefined, { looks: soon, database: facades.db.databaseName });
    try {
      runs({ stage: 'fetching' }, stopped);
      const logged = vi.spyOn(stopped.deps.log, 'error');
      const reader = await follow(await aJob(), undefined, stopped);
      await until(() => reader.received.length === 1);
      stopped.stop();
      expect(await reader.over).toBe('whole');
      expect(logged).not.toHaveBeenCalled();
    } finally {
      await stopped.close();
    }
  });

  it('waits until the budget allows a large end', async () => {
    const small = await startFacades(undefined, {
      answerBudget: { perCallerBytes: 2 * STREAM_BYTES, inAllBytes: 4 * STREAM_BYTES },
      looks: soon,
    });
    try {
      const parameters = { channel: { kind: 'handle', name: 'tea' } } as const;
      const job = { ...anAudioJob(), type: 'list', subjectId: 'list/@tea', mediaId: '@tea', parameters } as const;
      const { id } = await keepJob(small.deps.records, job);
      await small.contents.putFacts(id, { channelId: 'UC1', title: 'Tea', url: 'https://video.example/' });
      await small.contents.putPiece({ recordId: id, name: 'videos', number: 1 }, [{ videoId: 'v', title: 'Green' }]);
      runs({ stage: 'listing' }, small);
      const reader = await follow(id, undefined, small);
      await until(() => reader.received.length === 1);
      const release = small.deps.answerBudget.hold('address 127.0.0.1', STREAM_BYTES + 1);
      const lists = { videos: { pieces: 1, items: 1 } };
      await finishRecord(small.deps.records, id, { status: 'success', result: { lists } });
      await delay(600);
      expect(reader.received).toHaveLength(1);
      release();
      expect(await reader.over).toBe('whole');
      const { body } = await small.post('/api/channel/profile', JSON.stringify({ url: '@tea' }));
      expect(body['videos']).toHaveLength(1);
      expect(reader.received.at(-1)?.data).toEqual(body);
    } finally {
      for (const reader of readers) reader.leave();
      await small.close();
    }
  });
});
