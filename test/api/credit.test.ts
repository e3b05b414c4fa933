import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKey, AccountResult } from '../../contract/http/account-schemas.ts';
import { type JobInput, pendingRecordOf } from '../../contract/job-input.ts';
import type { DownloadList } from '../../contract/kinds/kinds.ts';
import { someReservations } from '../helpers/many-reservations.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
beforeEach(() => {
  vi.clearAllMocks();
  started.length = 0;
  facades.jobs.start.mockImplementation((_workflow, input) => {
    started.push(input);
    return Promise.resolve('started');
  });
  facades.jobs.running.mockResolvedValue('closed');
});
afterAll(() => facades.close());

const started: JobInput[] = [];
const failure = { code: 'private', message: 'Private.' } as const;
const at = '2026-11-21T09:31:00.000000Z';

let videos = 0;
const videoId = (): string => `video${String((videos += 1)).padStart(6, '0')}`;
/** @param credit thousandths; undefined: unlimited */
async function makeKey(credit?: number): Promise<ApiKey & { text: string }> {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await facades.deps.accounts.open(key.id, credit);
  return key;
}
type Key = Awaited<ReturnType<typeof makeKey>>;
interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
}
async function ask<Body>(key: Key, path: string, body?: object): Promise<Answered<Body>> {
  const answer = await fetch(facades.url + path, {
    headers: { authorization: `Bearer ${key.text}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}
const audio = (key: Key, video = videoId()) =>
  ask<{ data: { id: string }; id: string }>(key, '/api/downloads/audio', { vidnet_video_id: video });
const money = async (key: Key) => {
  const { credit, reserved, spent, entries } = (await ask<AccountResult>(key, '/api/account')).body;
  return { credit, reserved, spent, entries: entries.map(({ amount }) => amount) };
};
const succeed = (job: JobInput, charge?: number) =>
  facades.deps.records.finish(job.recordId, { status: 'success', result: charge === undefined ? {} : { charge } }, at);

describe('the credit of a key', () => {
  it('is reserved at the start and captured once at the success', async () => {
    const key = await makeKey(20);
    expect((await audio(key)).status).toBe(202);
    expect(await money(key)).toEqual({ credit: '0.015', reserved: '0.005', spent: '0.000', entries: [] });
    for (let times = 0; times < 3; times += 1) await succeed(started[0]!);
    await Promise.all([1, 2, 3, 4].map(() => succeed(started[0]!)));
    expect(await money(key)).toEqual({ credit: '0.015', reserved: '0.000', spent: '0.005', entries: ['0.005'] });
    expect((await ask<AccountResult>(key, '/api/account')).body.entries).toEqual([
      {
        ...{ download_id: started[0]!.recordId, type: 'audio', media_id: started[0]!.mediaId },
        ...{ amount: '0.005', booked_at: at },
      },
    ]);
  });

  it('is released when the job fails', async () => {
    const key = await makeKey(5);
    await audio(key);
    await facades.deps.records.finish(started[0]!.recordId, { status: 'failed', failure }, at);
    expect(await money(key)).toEqual({ credit: '0.005', reserved: '0.000', spent: '0.000', entries: [] });
  });

  it('is released in part when the job costs less', async () => {
    const key = await makeKey(10);
    await audio(key);
    await audio(key);
    await succeed(started[0]!, 2);
    await succeed(started[1]!, 0);
    expect(await money(key)).toEqual({ credit: '0.008', reserved: '0.000', spent: '0.002', entries: ['0.002'] });
  });

  it('starts no job whose price exceeds it', async () => {
    const key = await makeKey(4);
    const refused = await audio(key);
    expect(refused).toMatchObject({
      status: 402,
      body: { code: 'insufficient_credit', price: '0.005', credit: '0.004' },
    });
    expect(facades.jobs.start).not.toHaveBeenCalled();
    expect((await ask<DownloadList>(key, '/api/downloads')).body.downloads).toEqual([]);
  });

  it('is not exceeded by 20 concurrent requests', async () => {
    const key = await makeKey(52);
    const answers = await Promise.all(Array.from({ length: 20 }, () => audio(key)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(10);
    expect(started).toHaveLength(10);
    expect(await money(key)).toMatchObject({ credit: '0.002', reserved: '0.050' });
    await Promise.all([...started, ...started].map((job) => succeed(job)));
    expect(await money(key)).toEqual({
      ...{ credit: '0.002', reserved: '0.000', spent: '0.050' },
      entries: Array<string>(10).fill('0.005'),
    });
  });

  it('is not needed to join a job or to get a stored result', async () => {
    const [payer, poor] = [await makeKey(20), await makeKey(0)];
    const body = { url: 'https://www.youtube.com/@joined' };
    await ask(payer, '/api/channel/profile', body);
    const [job] = started;
    facades.jobs.running.mockResolvedValue({ running: job!, runId: 'run' });
    const joined = await ask<{ download_id: string }>(poor, '/api/channel/profile', body);
    expect(joined).toMatchObject({ status: 202, body: { download_id: job!.recordId } });
    await facades.deps.records.noteSuccess(await succeed(job!, 10));
    expect(await money(poor)).toEqual({ credit: '0.000', reserved: '0.000', spent: '0.000', entries: [] });
    expect(await money(payer)).toMatchObject({ credit: '0.010', spent: '0.010' });
    const video = videoId();
    await audio(payer, video);
    await facades.deps.records.noteSuccess(await succeed(started.at(-1)!));
    facades.jobs.start.mockRejectedValue(new Error('must not be started'));
    expect((await audio(poor, video)).status).toBe(200);
  });

  it('is released when another request started the job', async () => {
    const [first, second] = [await makeKey(20), await makeKey(20)];
    const video = videoId();
    await audio(first, video);
    facades.jobs.start.mockResolvedValue({ running: started[0]!, runId: 'run' });
    expect(await audio(second, video)).toMatchObject({ status: 409, body: { id: started[0]!.recordId } });
    expect(await money(second)).toMatchObject({ credit: '0.020', reserved: '0.000' });
  });

  it('suffices for both parts of a list, or none is started', async () => {
    const [rich, poor] = [await makeKey(10), await makeKey(9)];
    vi.mocked(facades.deps.now).mockReturnValue(Date.parse(at));
    await ask(await makeKey(), '/api/imgnet/profile', { url: '@lister' });
    const profile = started.pop()!;
    await succeed(profile);
    expect(await ask(poor, '/api/imgnet/list', { list_id: profile.recordId })).toMatchObject({
      ...{ status: 402, body: { price: '0.010', credit: '0.009' } },
    });
    expect(started).toHaveLength(0);
    expect((await ask(rich, '/api/imgnet/list', { list_id: profile.recordId })).status).toBe(202);
    vi.mocked(facades.deps.now).mockImplementation(() => Date.now());
    expect(started.map(({ price }) => price)).toEqual([5, 5]);
    expect(await money(rich)).toMatchObject({ credit: '0.000', reserved: '0.010' });
  });

  it('can be unlimited: jobs are counted and never refused', async () => {
    const key = await makeKey();
    await audio(key);
    await audio(key);
    await succeed(started[0]!);
    expect(await money(key)).toEqual({ credit: null, reserved: '0.005', spent: '0.005', entries: ['0.005'] });
  });
});

describe('a reservation of a process that died', () => {
  const later = (minutes: number) =>
    vi.mocked(facades.deps.now).mockImplementation(() => Date.now() + minutes * 60_000);
  beforeEach(() => {
    vi.mocked(facades.deps.now).mockImplementation(() => Date.now());
  });

  it('is captured if the record had ended', async () => {
    const key = await makeKey(5);
    await audio(key);
    // This is what the worker writes before it captures the reservation.
    await facades.db
      .collection<{ _id: string }>('records')
      .updateOne({ _id: started[0]!.recordId }, { $set: { status: 'success', files: [], charge: 5, finishedAt: at } });
    later(11);
    expect(await money(key)).toEqual({ credit: '0.000', reserved: '0.000', spent: '0.005', entries: ['0.005'] });
  });

  it('is captured if a terminated job had used the provider of the photo platform', async () => {
    const key = await makeKey(20);
    await ask(key, '/api/imgnet/profile', { url: '@gone' });
    const { recordId } = started[0]!;
    await facades.deps.records.recordProviderCall(recordId, 'profile');
    facades.jobs.status.mockResolvedValue({ state: 'gone' });
    const polls = await Promise.all([1, 2, 3].map(() => ask<{ data: object }>(key, `/downloads/${recordId}`)));
    facades.jobs.status.mockResolvedValue({ state: 'unknown' });
    for (const { body } of polls) expect(body.data).toMatchObject({ status: 'failed', cost: '0.010' });
    expect(await money(key)).toEqual({ credit: '0.010', reserved: '0.000', spent: '0.010', entries: ['0.010'] });
  });

  it('is released for the next job if the job was never started', async () => {
    const key = await makeKey(5);
    facades.jobs.start.mockRejectedValueOnce(new Error('the connection broke'));
    expect((await audio(key)).status).toBe(500);
    // It is not known yet whether the job was started.
    expect((await audio(key)).status).toBe(402);
    later(11);
    facades.jobs.status.mockResolvedValueOnce({ state: 'unknown' });
    expect((await audio(key)).status).toBe(402);
    facades.jobs.status.mockResolvedValueOnce({ state: 'gone' });
    expect((await audio(key)).status).toBe(202);
  });

  it('is released in several steps if there are many', async () => {
    const key = await makeKey(1_000);
    for (const count of [48, 20]) await facades.deps.accounts.reserve(key.id, someReservations(count));
    expect(await money(key)).toMatchObject({ credit: '0.660', reserved: '0.340' });
    later(11);
    facades.jobs.status.mockResolvedValue({ state: 'gone' });
    await money(key);
    expect(await money(key)).toMatchObject({ credit: '1.000', reserved: '0.000' });
    facades.jobs.status.mockResolvedValue({ state: 'unknown' });
  });

  it('stays while the job runs', async () => {
    const key = await makeKey(5);
    await audio(key);
    later(11);
    facades.jobs.status.mockResolvedValueOnce({ state: 'running', progress: undefined });
    expect(await money(key)).toMatchObject({ credit: '0.000', reserved: '0.005' });
  });
});

describe('the downloads of a key', () => {
  it('are those that it requested, page by page, whoever started them', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await audio(one)).body.data.id);
    await audio(other);
    await facades.deps.keyDownloads.note(other.id, ids[0]!);
    await succeed(started[1]!);
    const list = async (key: Key, query: string) => (await ask<DownloadList>(key, `/api/downloads?${query}`)).body;
    const first = await list(one, 'limit=3');
    expect(first.downloads.map(({ id }) => id)).toEqual(ids.slice(2).reverse());
    const second = await list(one, `limit=3&cursor=${first.next_cursor!}`);
    expect(second.downloads.map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    expect(second.next_cursor).toBeNull();
    expect((await list(one, 'status=success')).downloads.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await list(other, '')).downloads.map(({ id }) => id)).toEqual([started.at(-1)!.recordId, ids[0]]);
  });

  it('can be cancelled only by the key that started them', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    await audio(one);
    const { recordId } = started[0]!;
    const cancel = async (key?: Key) => {
      const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key.text}` } };
      return (await fetch(`${facades.url}/downloads/${recordId}`, { method: 'DELETE', ...headers })).status;
    };
    expect(await cancel(other)).toBe(403);
    expect(await cancel()).toBe(403);
    expect(await cancel(one)).toBe(202);
  });

  it('are not charged if they were started without a key', async () => {
    await facades.post('/api/downloads/audio', JSON.stringify({ vidnet_video_id: videoId() }));
    expect(started[0]!.chargedTo).toBeUndefined();
    expect(pendingRecordOf(started[0]!).chargedTo).toBeUndefined();
  });
});
