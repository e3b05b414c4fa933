import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

// Two processes of the api on one database, and a Temporal mock that starts a subject once.
let two: Facades[];
const running = new Map<string, JobInput>();
beforeAll(async () => {
  const database = `race-${randomUUID().slice(0, 8)}`;
  two = [await startFacades(100_000, { database }), await startFacades(100_000, { database })];
  for (const { jobs } of two) {
    jobs.start.mockImplementation((_workflow, input) => {
      const other = running.get(input.subjectId);
      if (other !== undefined) return Promise.resolve({ running: other, runId: 'run' });
      running.set(input.subjectId, input);
      return Promise.resolve('started');
    });
    jobs.running.mockImplementation((subjectId) => {
      const other = running.get(subjectId);
      return Promise.resolve(other === undefined ? 'closed' : { running: other, runId: 'run' });
    });
  }
});
beforeEach(() => running.clear());
afterAll(() => Promise.all(two.map((one) => one.close())));
vi.setConfig({ testTimeout: 120_000 });

async function makeKey(credit: number) {
  const key = await two[0]!.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await two[0]!.deps.accounts.open(key.id, credit);
  return { id: key.id, headers: { authorization: `Bearer ${key.text}`, prefer: 'wait=0' } };
}
type Key = Awaited<ReturnType<typeof makeKey>>;
const post = async (index: number, key: Key, path: string, body: object): Promise<number> =>
  (await fetch(two[index % 2]!.url + path, { method: 'POST', headers: key.headers, body: JSON.stringify(body) }))
    .status;
async function accountOf({ headers }: Key) {
  const answer = await fetch(`${two[1]!.url}/api/account?limit=200`, { headers });
  const { credit, reserved, spent, entries } = (await answer.json()) as AccountResult;
  return { credit, reserved, spent, amounts: entries.map(({ amount }) => amount) };
}
const end = (index: number, { recordId }: JobInput, isSuccess: boolean) =>
  two[index % 2]!.deps.records.finish(
    recordId,
    isSuccess
      ? { status: 'success', result: {} }
      : { status: 'failed', failure: { code: 'private', message: 'Private.' } },
    '2026-11-21T09:31:00.000000Z',
  );
const video = (index: number): string => `race${String(index).padStart(7, '0')}`;
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

it('a credit for 10 jobs starts 10 of 50 concurrent requests to two processes, and the ledger adds up', async () => {
  const key = await makeKey(50);
  const statuses = await Promise.all(
    times(50, (index) => post(index, key, '/api/downloads/audio', { vidnet_video_id: video(index) })),
  );
  expect(statuses.filter((status) => status === 202)).toHaveLength(10);
  expect(statuses.filter((status) => status === 402)).toHaveLength(40);
  expect(running.size).toBe(10);
  expect(await accountOf(key)).toEqual({ credit: '0.000', reserved: '0.050', spent: '0.000', amounts: [] });
  // Both processes end each job at once, like a retried worker and an api that finds a terminated job. Four jobs fail.
  const jobs = [...running.values()];
  await Promise.all([0, 1].flatMap((process) => jobs.map((job, index) => end(process, job, index >= 4))));
  const amounts = times(6, () => '0.005');
  expect(await accountOf(key)).toEqual({ credit: '0.020', reserved: '0.000', spent: '0.030', amounts });
  running.clear();
  const more = await Promise.all(
    times(12, (index) => post(index, key, '/api/downloads/audio', { vidnet_video_id: video(100 + index) })),
  );
  expect(more.filter((status) => status === 202)).toHaveLength(4);
});

it('one of 30 concurrent requests for a subject by three keys is charged, and the others get their credit back', async () => {
  const keys = await Promise.all(times(3, () => makeKey(10)));
  const statuses = await Promise.all(
    times(30, (index) => post(index, keys[index % 3]!, '/api/channel/profile', { url: '@raced' })),
  );
  // A key whose credit is reserved for two requests may get 402, and joins later.
  expect(statuses.every((status) => status === 202 || status === 402)).toBe(true);
  expect(running.size).toBe(1);
  const [job] = running.values();
  await end(0, job!, true);
  const accounts = await Promise.all(keys.map(accountOf));
  expect(accounts.map(({ reserved }) => reserved)).toEqual(['0.000', '0.000', '0.000']);
  expect(accounts.flatMap(({ amounts }) => amounts)).toEqual(['0.010']);
  expect(keys.find(({ id }) => id === job!.chargedTo)).toBeDefined();
});

it('a key that is revoked while its job runs is charged', async () => {
  const key = await makeKey(5);
  expect(await post(0, key, '/api/downloads/audio', { vidnet_video_id: video(500) })).toBe(202);
  await two[0]!.deps.keys.revoke(key.id);
  const [job] = running.values();
  await end(1, job!, true);
  const account = await two[0]!.deps.accounts.get(key.id);
  expect(account).toMatchObject({ available: 0, spent: 5 });
  expect(await two[0]!.deps.accounts.reservations(key.id)).toEqual([]);
});

it('the account adds up after any order of starts, ends and repetitions', async () => {
  const granted = 60;
  const key = await makeKey(granted);
  const ended = new Set<string>();
  for (let round = 0; round < 6; round += 1) {
    const open = [...running.values()].filter(({ recordId }) => !ended.has(recordId));
    await Promise.all([
      ...times(6, (index) =>
        post(index, key, '/api/downloads/audio', { vidnet_video_id: video(1_000 + Math.floor(Math.random() * 40)) }),
      ),
      ...open.flatMap((job, index) => {
        if (Math.random() < 0.4) return [];
        ended.add(job.recordId);
        const isSuccess = Math.random() < 0.5;
        return times(1 + Math.floor(Math.random() * 3), (repeat) => end(index + repeat, job, isSuccess));
      }),
    ]);
    for (const job of running.values()) if (ended.has(job.recordId)) running.delete(job.subjectId);
    const account = (await two[0]!.deps.accounts.get(key.id))!;
    const held = (await two[0]!.deps.accounts.reservations(key.id)).reduce((sum, { amount }) => sum + amount, 0);
    expect(account.available + account.spent + held).toBe(granted);
    expect(account.available).toBeGreaterThanOrEqual(0);
  }
  for (const job of running.values()) await end(0, job, true);
  const account = (await two[0]!.deps.accounts.get(key.id))!;
  const entries = await two[0]!.deps.accounts.ledger(key.id, { limit: 200 });
  expect(await two[0]!.deps.accounts.reservations(key.id)).toEqual([]);
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(account.spent);
});
