import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { KEY_KEPT_MS } from '../../store/accounts/idempotency-keys.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

// Two processes of the api on one database, and a Temporal mock that starts a subject once.
let two: [Facades, Facades];
const running = new Map<string, JobInput>();
const batches = new Set<string>();
beforeAll(async () => {
  const database = `idempotency-${randomUUID().slice(0, 8)}`;
  two = [await startFacades(100_000, { database }), await startFacades(100_000, { database })];
});
beforeEach(() => {
  running.clear();
  for (const { jobs, deps } of two) {
    jobs.start.mockReset().mockImplementation((_workflow, input) => {
      const other = running.get(input.subjectId);
      if (other !== undefined) return Promise.resolve({ running: other, runId: 'run' });
      running.set(input.subjectId, input);
      return Promise.resolve('started');
    });
    jobs.running.mockReset().mockImplementation((subjectId) => {
      const other = running.get(subjectId);
      return Promise.resolve(other === undefined ? 'closed' : { running: other, runId: 'run' });
    });
    vi.spyOn(deps.batchRuns, 'start').mockImplementation(({ batchId }) => {
      const isNew = !batches.has(batchId);
      batches.add(batchId);
      return Promise.resolve(isNew);
    });
    vi.spyOn(deps.batchRuns, 'isOpen').mockImplementation((id) => Promise.resolve(batches.has(id)));
    vi.mocked(deps.now).mockImplementation(() => Date.now());
  }
});
afterAll(() => Promise.all(two.map((one) => one.close())));

const AUDIO = '/api/downloads/audio';
let videos = 0;
const video = (): object => ({ vidnet_video_id: `idem${String((videos += 1)).padStart(7, '0')}` });
const newKey = (): string => `"${randomUUID()}"`;

interface Sent {
  readonly key: string;
  readonly path?: string;
  readonly body: object;
  readonly process?: 0 | 1;
  readonly headers?: Record<string, string>;
}
const send = async ({ key, path = AUDIO, body, process = 0, headers = {} }: Sent) => {
  const answer = await two[process].post(path, JSON.stringify(body), { ...headers, 'idempotency-key': key });
  return { status: answer.status, body: answer.body };
};
const audioIn = ({ body }: { readonly body: Record<string, unknown> }) => body['data'] as { readonly id: string };

async function paying(credit: number) {
  const { deps } = two[0];
  const key = await deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await deps.accounts.open(key.id, credit);
  return { authorization: `Bearer ${key.text}` };
}

it(
  '50 equal requests to two processes start one job, reserve once and get equal answers',
  { timeout: 120_000 },
  async () => {
    const headers = await paying(1_000);
    const request = { key: newKey(), body: video(), headers };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => send({ ...request, process: index % 2 === 0 ? 0 : 1 })),
    );
    expect(answers[0]).toMatchObject({ status: 202, body: { data: { status: 'pending' } } });
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(running.size).toBe(1);
    const account = await fetch(`${two[0].url}/api/account`, { headers });
    expect((await account.json()) as AccountResult).toMatchObject({ credit: '0.995', reserved: '0.005' });
    // Without the key, the same request is refused.
    expect((await two[0].post(AUDIO, JSON.stringify(request.body), headers)).status).toBe(409);
  },
);

it('continues a request that was interrupted after its job started', async () => {
  const [first, second] = two;
  const request = { key: newKey(), body: video() };
  // The process dies: its key is held until a time that passes, and nothing is answered.
  const started = Promise.withResolvers<JobInput>();
  first.jobs.start.mockImplementation((_workflow, input) => {
    running.set(input.subjectId, input);
    started.resolve(input);
    return new Promise(() => undefined);
  });
  void send(request).catch(() => undefined);
  const { recordId } = await started.promise;
  vi.spyOn(first.deps.idempotencyKeys, 'hold').mockResolvedValue();
  vi.mocked(second.deps.now).mockImplementation(() => Date.now() + 60_000);
  const answer = await send({ ...request, process: 1 });
  expect(answer).toMatchObject({ status: 202, body: { data: { id: recordId } } });
  expect(second.jobs.start.mock.calls.length + running.size).toBeLessThanOrEqual(2);
  expect(await send({ ...request, process: 1 })).toEqual(answer);
});

it('answers an interrupted request whose job has failed meanwhile with that job', async () => {
  const [first] = two;
  const request = { key: newKey(), body: video() };
  first.jobs.start.mockImplementationOnce(async (_workflow, input) => {
    await first.deps.records.insertIfAbsent(pendingRecordOf(input));
    await first.deps.records.finish(
      input.recordId,
      { status: 'failed', failure: { code: 'private', message: 'Private.' } },
      '2026-11-21T09:31:00.000000Z',
    );
    throw new Error('the connection broke');
  });
  expect((await send(request)).status).toBe(500);
  const again = await send(request);
  expect(again).toMatchObject({ status: 400, body: { data: { status: 'failed', response: 'Private.' } } });
  expect(first.jobs.start).toHaveBeenCalledTimes(1);
  expect(await send({ ...request, process: 1 })).toEqual(again);
});

it('starts one batch, also if the request was interrupted before the workflow started', async () => {
  const { deps } = two[0];
  const request = { key: newKey(), path: '/api/batches', body: { items: [{ operation: 'requestAudio', ...video() }] } };
  vi.mocked(deps.batchRuns.start).mockRejectedValueOnce(new Error('the connection broke'));
  expect((await send(request)).status).toBe(500);
  const answer = await send({ ...request, process: 1 });
  expect(answer.status).toBe(202);
  expect([...batches]).toEqual([answer.body['id']]);
  expect(await send(request)).toEqual(answer);
});

it('creates one subscription, also if the request was interrupted before it had a schedule', async () => {
  const { deps } = two[0];
  const body = { from: 'https://www.youtube.com/@evening-talks', each: { operation: 'requestAudio' }, since: 'now' };
  const request = { key: newKey(), path: '/api/subscriptions', body };
  const put = vi.spyOn(deps.schedules, 'put').mockRejectedValueOnce(new Error('the connection broke'));
  vi.spyOn(deps.subscriptions, 'remove').mockResolvedValueOnce();
  expect((await send(request)).status).toBe(500);
  const answer = await send(request);
  expect(answer.status).toBe(202);
  expect(put).toHaveBeenCalledTimes(2);
  expect(await send(request)).toEqual(answer);
  expect(
    (await deps.subscriptions.list({ startedBy: undefined, before: undefined, limit: 10 })).map(({ id }) => id),
  ).toEqual([answer.body['id']]);
});

it('answers 422 for another body or operation with the key, and keeps the keys of callers apart', async () => {
  const request = { key: newKey(), body: video() };
  const first = await send(request);
  for (const other of [
    { ...request, body: video() },
    { ...request, path: '/api/downloads/video' },
  ])
    expect(await send(other)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  const stranger = await send({ ...request, body: video(), headers: await paying(1_000) });
  expect(stranger.status).toBe(202);
  expect(audioIn(stranger).id).not.toBe(audioIn(first).id);
});

it('answers 409 while the first request runs for longer than the second one waits', async () => {
  const [first, second] = two;
  const request = { key: newKey(), body: video() };
  const done = Promise.withResolvers<'started'>();
  first.jobs.start.mockReturnValueOnce(done.promise);
  const running = send(request);
  await vi.waitFor(() => expect(first.jobs.start).toHaveBeenCalled(), 20_000);
  let clock = 0;
  const elapsed = vi.mocked(second.deps.elapsed).mockImplementation(() => (clock += 3_000));
  expect(await send({ ...request, process: 1 })).toMatchObject({
    status: 409,
    body: { code: 'idempotency_key_in_use' },
  });
  elapsed.mockImplementation(() => performance.now());
  done.resolve('started');
  expect((await running).status).toBe(202);
});

it('does not use up the key of a request that was refused', async () => {
  const headers = await paying(0);
  const request = { key: newKey(), body: video(), headers };
  expect((await send(request)).status).toBe(402);
  const id = (await two[0].deps.keys.list()).at(-1)!.id;
  await two[0].deps.accounts.grant(id, 5);
  expect((await send(request)).status).toBe(202);
});

it('forgets a key after a day, and removes what it stored', async () => {
  const [{ deps, db }] = two;
  const request = { key: newKey(), body: video() };
  const first = await send(request);
  await deps.idempotencyKeys.removeBefore(Date.now() - KEY_KEPT_MS);
  expect(await send(request)).toEqual(first);
  vi.mocked(deps.now).mockImplementation(() => Date.now() + KEY_KEPT_MS);
  // The job of the first request runs.
  expect(await send(request)).toMatchObject({ status: 409, body: { code: 'pending_duplicate' } });
  await deps.idempotencyKeys.removeBefore(Date.now() + 2 * KEY_KEPT_MS);
  expect(await db.collection('idempotency_keys').countDocuments()).toBe(0);
  expect(await db.collection('idempotency_times').countDocuments()).toBe(0);
});

it.each(['""', 'a'.repeat(256), '"a', 'a b', '"\u00fc"', '"a", "b"', '"a\\b"'])('refuses the key %j', async (key) => {
  expect(await send({ key, body: video() })).toMatchObject({
    ...{ status: 400, body: { code: 'invalid_input', details: [{ path: 'Idempotency-Key' }] } },
  });
});

it('joins a running job of audio or video with on_duplicate, and adds the webhook', async () => {
  const [{ jobs }] = two;
  const post = (body: object) => two[0].post(AUDIO, JSON.stringify(body));
  const body = video();
  const first = await post(body);
  expect(await post({ ...body, on_duplicate: 'error' })).toMatchObject({ status: 409 });
  const webhook = { include_webhook: 'https://example.com/hook', on_duplicate: 'join' };
  const joined = await post({ ...body, ...webhook });
  expect(joined).toMatchObject({ status: 202, body: { data: { id: audioIn(first).id, status: 'pending' } } });
  expect(jobs.subscribe).toHaveBeenCalledWith(
    expect.objectContaining({ runId: 'run' }),
    webhook.include_webhook,
    'anonymous',
  );
});
