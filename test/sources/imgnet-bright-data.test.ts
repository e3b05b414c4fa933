import type { RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { JobError } from '../../runtime/job-error.ts';
import {
  onlyRecordOf,
  SnapshotLostError,
  SnapshotNotReadyError,
  UncertainTriggerError,
  type ImgnetSource,
  type SnapshotPage,
  type SnapshotRequest,
} from '../../sources/imgnet/imgnet-source.ts';
import { sourceAt, startDatasetApi, type TestDatasetApi } from '../helpers/imgnet-source.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

const CALL = { signal: new AbortController().signal, timeoutMs: 60_000 };

let api: TestDatasetApi;
let source: ImgnetSource;
beforeAll(async () => {
  api = await startDatasetApi();
  source = sourceAt(api.url);
});
afterEach(() => api.behave());
afterAll(async () => {
  await source.close();
  await api.stop();
});

const nameOf = (wanted: string): string => api.accounts().find((account) => account.case === wanted)!.user_name;
const codeOf = (wanted: string): string =>
  api
    .posts()
    .find((post) => post.case === wanted)!
    .url.split('/')
    .at(-2)!;

async function collect(request: SnapshotRequest): Promise<{ id: string; pages: SnapshotPage[] }> {
  const { snapshotId: id } = await source.trigger(request, CALL);
  expect(await source.progress(id, CALL)).toBe('ready');
  const pages: SnapshotPage[] = [];
  for await (const page of source.rows(id, CALL)) pages.push(page);
  return { id, pages };
}

/** A server that answers everything in one way. */
async function scripted(listener: RequestListener): Promise<ImgnetSource> {
  const server = await serveOnLoopback(listener);
  const scriptedSource = sourceAt(server.url, { token: 'a-very-secret-token' });
  onTestFinished(async () => {
    await scriptedSource.close();
    await server.stop();
  });
  return scriptedSource;
}
const answers = (status: number, body: unknown, headers: Record<string, string> = {}): Promise<ImgnetSource> =>
  scripted((_req, res) => res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)));
const drain = async (pages: AsyncIterable<SnapshotPage>): Promise<void> => {
  const reader = pages[Symbol.asyncIterator]();
  while ((await reader.next()).done !== true);
};
const profile: SnapshotRequest = { kind: 'profile', account: 'garden' };

describe('snapshots of the sandbox', () => {
  it('give a profile, a post and a reel', async () => {
    const record = async (request: SnapshotRequest) => {
      const { snapshotId } = await source.trigger(request, CALL);
      return onlyRecordOf(source.rows(snapshotId, CALL));
    };
    expect(await record({ kind: 'profile', account: nameOf('business') })).toMatchObject({
      account: nameOf('business'),
      is_business_account: true,
    });
    const [post, reel] = [codeOf('carousel'), codeOf('reel')];
    expect(await record({ kind: 'post', shortcode: post })).toMatchObject({
      shortcode: post,
      content_type: 'Carousel',
    });
    expect(await record({ kind: 'reel', shortcode: reel })).toMatchObject({ shortcode: reel, product_type: 'clips' });
  });

  it('give posts once each, without reels', async () => {
    const { pages } = await collect({ kind: 'posts', account: nameOf('ordinary') });
    const rows = pages.flatMap((page) => page.rows);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(48);
    expect(rows).toHaveLength(48);
    expect(pages[0]).toMatchObject({ duplicates: 2, failures: 0 });
    expect(rows.filter(({ record }) => record['product_type'] === 'clips')).toEqual([]);
    expect((await collect({ kind: 'reels', account: nameOf('ordinary') })).pages[0]!.rows).toHaveLength(12);
  });

  it('begin at the requested day', async () => {
    const day = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
    const { pages } = await collect({ kind: 'posts', account: nameOf('ordinary'), sinceDate: day });
    const dates = pages.flatMap(({ rows }) => rows.map(({ record }) => String(record['date_posted'])));
    // One every 40 hours.
    expect(dates.length).toBeGreaterThanOrEqual(4);
    expect(dates.length).toBeLessThanOrEqual(5);
    for (const date of dates) expect(date >= day).toBe(true);
  });

  it('of an account without posts are empty', async () => {
    expect((await collect({ kind: 'posts', account: nameOf('empty') })).pages).toEqual([]);
  });

  it.each([
    ['private', 'private'],
    ['not_found', 'removed'],
  ])('of the posts of an account that is %s fail as %s', async (wanted, code) => {
    await expect(collect({ kind: 'posts', account: nameOf(wanted) })).rejects.toMatchObject({ code });
  });

  it('of a deleted post fail as removed', async () => {
    await expect(collect({ kind: 'post', shortcode: codeOf('deleted') })).rejects.toMatchObject({ code: 'removed' });
  });

  it('of 20,000 posts arrive in small pages, and stop with their consumer', async () => {
    const { id, pages } = await collect({ kind: 'posts', account: nameOf('large') });
    expect(pages.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(20_000);
    expect(pages.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(500);
    expect(Math.max(...pages.map(({ rows }) => rows.length))).toBe(100);
    api.resetStats();
    for await (const { rows } of source.rows(id, CALL)) {
      expect(rows).toHaveLength(100);
      break;
    }
    expect(api.stats()).toMatchObject({ download_requests: 1, downloads: 0 });
  }, 120_000);
});

describe('a snapshot that takes time', () => {
  it('is running, then ready, then not ready to be read, then read', async () => {
    let nowMs = Date.now();
    const slow = await startDatasetApi({ collectMs: 10_000, buildMs: 5_000, now: () => nowMs });
    const slowSource = sourceAt(slow.url);
    onTestFinished(async () => {
      await slowSource.close();
      await slow.stop();
    });
    const account = slow.accounts()[0]!.user_name;
    const { snapshotId } = await slowSource.trigger({ kind: 'profile', account }, CALL);
    const read = () => onlyRecordOf(slowSource.rows(snapshotId, CALL));
    expect(await slowSource.progress(snapshotId, CALL)).toBe('running');
    await expect(read()).rejects.toBeInstanceOf(SnapshotNotReadyError);
    nowMs += 10_000;
    expect(await slowSource.progress(snapshotId, CALL)).toBe('ready');
    await expect(read()).rejects.toBeInstanceOf(SnapshotNotReadyError);
    nowMs += 5_000;
    expect(await read()).toMatchObject({ account });
    expect(slow.stats()).toMatchObject({ triggers: { profiles: 1 }, snapshots: 1 });
  });

  it.each([
    ['building', 'running'],
    ['some new word', 'running'],
    ['canceled', { failed: expect.objectContaining({ code: 'upstream_error' }) }],
    ['cancelled', { failed: expect.objectContaining({ code: 'upstream_error' }) }],
    ['failed', { failed: expect.objectContaining({ code: 'upstream_error' }) }],
  ])('of status %j is %j', async (status, expected) => {
    const answering = await answers(200, { snapshot_id: 's_1', status });
    expect(await answering.progress('s_1', CALL)).toEqual(expected);
  });

  it('that failed because nothing was found is empty', async () => {
    const answering = await answers(200, { status: 'failed', error_message: 'No data found in discovery' });
    expect(await answering.progress('s_1', CALL)).toBe('empty');
  });

  it('states the time of the next attempt', async () => {
    const building = await answers(202, { status: 'building', message: 'try again in 10s' }, { 'Retry-After': '10' });
    const error = await drain(building.rows('s_1', CALL)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SnapshotNotReadyError);
    expect((error as SnapshotNotReadyError).retryAtMs! - Date.now()).toBeLessThanOrEqual(10_000);
    expect((error as SnapshotNotReadyError).retryAtMs! - Date.now()).toBeGreaterThan(5_000);
  });

  it('is lost when the API no longer has it', async () => {
    const account = nameOf('ordinary');
    const { snapshotId } = await source.trigger({ kind: 'profile', account }, CALL);
    api.misbehave({ target: 'dataset', mode: 'lost', account });
    expect(await source.progress(snapshotId, CALL)).toEqual({ failed: expect.any(SnapshotLostError) });
    await expect(drain(source.rows(snapshotId, CALL))).rejects.toBeInstanceOf(SnapshotLostError);
    const expired = await answers(400, 'Snapshot is expired');
    await expect(drain(expired.rows('s_1', CALL))).rejects.toBeInstanceOf(SnapshotLostError);
  });

  it('without rows has no page', async () => {
    const empty = await answers(400, 'Snapshot is empty');
    await expect(drain(empty.rows('s_1', CALL))).resolves.toBeUndefined();
    await expect(onlyRecordOf(empty.rows('s_1', CALL))).rejects.toMatchObject({ code: 'removed' });
  });
});

describe('snapshots that were started', () => {
  const since = (request: SnapshotRequest, sinceMs = Date.now()) => source.startedSince(request, sinceMs, CALL);

  it('are found by their time and their input', async () => {
    const account = nameOf('business');
    const requests: SnapshotRequest[] = [
      { kind: 'profile', account },
      { kind: 'posts', account },
      { kind: 'posts', account, sinceDate: '2026-11-01' },
      { kind: 'reels', account },
      { kind: 'reels', account, sinceDate: '2026-11-01' },
      { kind: 'post', shortcode: codeOf('image') },
      { kind: 'reel', shortcode: codeOf('reel') },
    ];
    const ids: string[] = [];
    for (const request of requests) ids.push((await source.trigger(request, CALL)).snapshotId);
    for (const [index, request] of requests.entries()) {
      const mine: string[] = [];
      for (const id of await since(request)) {
        if (ids.includes(id) && (await source.isOf(id, request, CALL))) mine.push(id);
      }
      expect(mine).toEqual([ids[index]]);
      // An hour later they are too old.
      expect(await since(request, Date.now() + 3_600_000)).toEqual([]);
    }
  });

  it.each<[string, (all: readonly object[]) => readonly object[], number]>([
    ['the oldest first', (all) => all, 3],
    ['the newest first', (all) => all.toReversed(), 1],
  ])('are found in a list of many pages, %s, of which no more are read than it takes', async (_order, order, pages) => {
    const all = Array.from({ length: 1_203 }, (_, second) => ({
      ...{ id: `s_${String(second)}`, created: new Date(second * 1_000).toISOString() },
    }));
    let requests = 0;
    const answering = await scripted((req, res) => {
      const { searchParams } = new URL(`http://x${req.url ?? ''}`);
      const [skip, limit] = [Number(searchParams.get('skip')), Number(searchParams.get('limit'))];
      requests += 1;
      res.end(JSON.stringify(order(all).slice(skip, skip + limit)));
    });
    // Clocks may differ by five minutes.
    expect(await answering.startedSince(profile, 1_500_000, CALL)).toEqual(['s_1200', 's_1201', 's_1202']);
    expect(requests).toBe(pages);
  });

  it.each([
    ['an error', 500, 'Internal server error'],
    ['no list', 200, '{"status":"building","message":"wait"}'],
    ['a list without times', 200, '[{"id":"s_1","created":"yesterday"}]'],
  ])('cannot be listed from %s', async (_what, status, body) => {
    const answering = await answers(status, body);
    await expect(answering.startedSince(profile, Date.now(), CALL)).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it.each<[string, string, boolean]>([
    ['the same', 'url\nPLATFORM/garden/', true],
    ['the same, in quotes and with a column that is empty', '"url",start_date\r\n"PLATFORM/garden/",\r\n', true],
    ['one column more', 'url,num_of_posts\nPLATFORM/garden/,3', false],
    ['another address', 'url\nPLATFORM/garden2/', false],
    ['two inputs', 'url\nPLATFORM/garden/\nPLATFORM/tea/', false],
    ['nothing', '', false],
  ])('are recognised by their input: %s', async (_what, csv, expected) => {
    const answering = await scripted((req, res) => {
      res.end(csv.replaceAll('PLATFORM', `http://${String(req.headers.host)}`));
    });
    expect(await answering.isOf('s_1', profile, CALL)).toBe(expected);
  });
});

describe('a failure', () => {
  it('of a refused trigger states the retry time, and the trigger is not repeated', async () => {
    api.resetStats();
    api.misbehave({ target: 'dataset', mode: '429', step: 'trigger', retry_after_seconds: 30 });
    const error = (await source.trigger(profile, CALL).catch((thrown: unknown) => thrown)) as JobError;
    expect(error).toMatchObject({ name: 'JobError', code: 'rate_limited' });
    expect(error).not.toBeInstanceOf(UncertainTriggerError);
    expect(error.retryAtMs! - Date.now()).toBeGreaterThan(25_000);
    expect(api.stats()).toMatchObject({ triggers: { profiles: 1 } });
  });

  it('of a trigger without an answer is uncertain', async () => {
    api.resetStats();
    api.misbehave({ target: 'dataset', mode: '500', step: 'trigger', times: 1 });
    await expect(source.trigger(profile, CALL)).rejects.toBeInstanceOf(UncertainTriggerError);
    api.misbehave({ target: 'dataset', mode: 'hang', step: 'trigger', times: 1 });
    await expect(source.trigger(profile, { ...CALL, timeoutMs: 300 })).rejects.toBeInstanceOf(UncertainTriggerError);
    expect(api.stats()).toMatchObject({ triggers: { profiles: 2 } });
    const garbled = await answers(200, '<html>');
    await expect(garbled.trigger(profile, CALL)).rejects.toBeInstanceOf(UncertainTriggerError);
    const cut = await scripted((req) => req.socket.destroy());
    await expect(cut.trigger(profile, CALL)).rejects.toBeInstanceOf(UncertainTriggerError);
  });

  it('of a reused connection cannot make a trigger uncertain, because a trigger has a new connection', async () => {
    const connections: unknown[] = [];
    const plain = await scripted((req, res) => {
      connections.push(req.headers.connection);
      res.end(req.method === 'POST' ? '{"snapshot_id":"s_1"}' : '{"status":"running"}');
    });
    await plain.progress('s_1', CALL);
    await plain.trigger(profile, CALL);
    expect(connections).toEqual(['keep-alive', 'close']);
  });

  it('of a trigger that was never sent is certain', async () => {
    const gone = await serveOnLoopback(() => undefined);
    await gone.stop();
    const lonely = sourceAt(gone.url);
    onTestFinished(() => lonely.close());
    const error: unknown = await lonely.trigger(profile, CALL).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'upstream_error', message: 'The dataset API could not be reached.' });
    expect(error).not.toBeInstanceOf(UncertainTriggerError);
  });

  it('of the token names the setting', async () => {
    for (const token of [undefined, 'wrong']) {
      const locked = sourceAt(api.url, { token });
      onTestFinished(() => locked.close());
      await expect(locked.trigger(profile, CALL)).rejects.toMatchObject({
        code: 'tool_missing',
        message: /IMGNET_API_TOKEN/,
      });
    }
  });

  it('of a snapshot has the reason', async () => {
    const account = nameOf('ordinary');
    api.misbehave({ target: 'dataset', mode: 'fail_snapshot', account, dataset: 'reels' });
    const reels = await source.trigger({ kind: 'reels', account }, CALL);
    const posts = await source.trigger({ kind: 'posts', account }, CALL);
    expect(await source.progress(reels.snapshotId, CALL)).toEqual({
      failed: expect.objectContaining({ code: 'upstream_error' }),
    });
    expect(await source.progress(posts.snapshotId, CALL)).toBe('ready');
  });

  it.each([
    ['429', 'rate_limited'],
    ['500', 'upstream_error'],
  ])('of a poll or a download is reported: %s is %s', async (mode, code) => {
    const { snapshotId } = await source.trigger({ kind: 'profile', account: nameOf('ordinary') }, CALL);
    api.misbehave({ target: 'dataset', mode });
    await expect(source.progress(snapshotId, CALL)).rejects.toMatchObject({ code });
    await expect(drain(source.rows(snapshotId, CALL))).rejects.toMatchObject({ code });
  });

  it('of a truncated download is reported after its pages', async () => {
    const { snapshotId } = await source.trigger({ kind: 'posts', account: nameOf('large') }, CALL);
    api.misbehave({ target: 'dataset', mode: 'cut' });
    await expect(drain(source.rows(snapshotId, CALL))).rejects.toMatchObject({ code: 'incomplete' });
  });

  it('of a missing answer is reported in time', async () => {
    const { snapshotId } = await source.trigger({ kind: 'profile', account: nameOf('ordinary') }, CALL);
    api.misbehave({ target: 'dataset', mode: 'hang' });
    const short = { ...CALL, timeoutMs: 200 };
    await expect(source.progress(snapshotId, short)).rejects.toMatchObject({ code: 'upstream_timeout' });
    await expect(drain(source.rows(snapshotId, short))).rejects.toMatchObject({ code: 'upstream_timeout' });
  });

  it('by an aborted signal has its reason, except for a trigger that was sent', async () => {
    const stop = new AbortController();
    const reason = new Error('the worker stops');
    const hanging = await scripted((req, res) => {
      stop.abort(reason);
      if (req.method === 'POST') res.end('{"snapshot_id":"s_paid"}');
    });
    const call = { signal: stop.signal, timeoutMs: 5_000 };
    expect(await hanging.trigger(profile, call)).toEqual({ snapshotId: 's_paid' });
    await expect(hanging.trigger(profile, call)).rejects.toBe(reason);
    await expect(hanging.progress('s_1', call)).rejects.toBe(reason);
    await expect(drain(hanging.rows('s_1', call))).rejects.toBe(reason);
  });

  it('never shows the token, and no redirect is followed', async () => {
    let requests = 0;
    const echo = await scripted((req, res) => {
      requests += 1;
      const status = req.method === 'POST' ? 400 : 302;
      res.writeHead(status, { Location: '/elsewhere' }).end(`no: ${req.headers.authorization ?? ''}`);
    });
    const errors = [
      await echo.trigger(profile, CALL).catch((thrown: unknown) => thrown),
      await echo.progress('s_1', CALL).catch((thrown: unknown) => thrown),
      await drain(echo.rows('s_1', CALL)).catch((thrown: unknown) => thrown),
    ];
    expect(requests).toBe(3);
    for (const error of errors) {
      expect(error).toBeInstanceOf(JobError);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('a-very-secret-token');
      expect(inspect((error as Error).cause)).toContain('[token]');
    }
  });
});
