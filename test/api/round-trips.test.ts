import { Collection } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { ADMISSION_DEFAULTS } from '../../api/admission-queue.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { aTranscriptJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
let key: { readonly id: string; readonly text: string };
beforeAll(async () => {
  // On a busy machine no request may be treated as late.
  facades = await startFacades(100_000, { admissionQueue: { lateAfterMs: 600_000, maxWaitMs: 600_000 } });
  key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await facades.deps.accounts.open(key.id, 1_000);
});
afterAll(() => facades.close());

const WRITES = ['insertOne', 'updateOne', 'findOneAndUpdate', 'deleteOne', 'insertMany', 'updateMany'] as const;
const spies: MockInstance[] = [];
const touched: { readonly how: string; readonly collection: string }[] = [];
/** The operations of the driver, without those of the rate limit. */
function note(how: (typeof WRITES)[number] | 'findOne'): void {
  const own = Reflect.get(Collection.prototype, how) as (...given: unknown[]) => unknown;
  const spy = vi.spyOn(Collection.prototype, how).mockImplementation(function (this: Collection, ...given: unknown[]) {
    if (this.collectionName !== 'windows') touched.push({ how, collection: this.collectionName });
    return own.apply(this, given) as never;
  });
  spies.push(spy);
}
beforeEach(() => {
  vi.clearAllMocks();
  for (const how of [...WRITES, 'findOne'] as const) note(how);
});
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
});

const headers = () => ({ authorization: `Bearer ${key.text}`, prefer: 'wait=0' });
const get = (path: string) => fetch(facades.url + path, { headers: headers() });
const post = (path: string, body: object) =>
  fetch(facades.url + path, { method: 'POST', headers: headers(), body: JSON.stringify(body) });
/** The operations of a request that was sent before. */
async function doneBy(ask: () => Promise<Response>) {
  await (await ask()).text();
  touched.length = 0;
  const fakes = Object.values(facades.jobs);
  for (const fake of fakes) fake.mockClear();
  const { status } = await ask();
  return {
    status,
    reads: touched.filter(({ how }) => how === 'findOne').map(({ collection }) => collection),
    writes: touched.filter(({ how }) => how !== 'findOne').map(({ collection }) => collection),
    temporal: fakes.reduce((sum, fake) => sum + fake.mock.calls.length, 0),
  };
}
const kept = async (outcome?: 'success' | 'failed') => {
  const job = aTranscriptJob();
  await keepJob(facades.deps.records, job);
  const failure = { code: 'private', message: 'Private.' } as const;
  if (outcome === 'success') await finishRecord(facades.deps.records, job.recordId, { status: outcome, result: {} });
  if (outcome === 'failed') await finishRecord(facades.deps.records, job.recordId, { status: outcome, failure });
  return job;
};

describe('a record that has ended', () => {
  it.each(['success', 'failed'] as const)(
    'is read from memory soon after its end, with no write and no call of Temporal: %s',
    async (how) => {
      const { recordId } = await kept(how);
      expect(await doneBy(() => get(`/downloads/${recordId}`))).toEqual({
        ...{ status: 200, reads: [], writes: [], temporal: 0 },
      });
    },
  );

  it('answers a request for its subject without a write or a call of Temporal', async () => {
    const { mediaId } = await kept('success');
    const body = { vidnet_video_id: mediaId, language: 'en' };
    vi.spyOn(facades.deps.rendering.contents, 'facts').mockResolvedValue(undefined);
    expect(await doneBy(() => post('/api/transcripts', body))).toMatchObject({
      ...{ reads: ['subjects', 'records'], writes: [], temporal: 0 },
    });
  });
});

describe('a request for a running job', () => {
  const running = (input: JobInput) => {
    facades.jobs.running.mockResolvedValue({ running: input, runId: 'run' });
  };
  afterEach(() => facades.jobs.running.mockResolvedValue('closed'));

  it('reserves nothing and starts nothing', async () => {
    const url = '@polled-by-its-payer';
    await post('/api/channel/profile', { url });
    running(facades.jobs.start.mock.lastCall![1]);
    const again = await doneBy(() => post('/api/channel/profile', { url }));
    expect(again).toMatchObject({ status: 202, writes: [] });
    expect(again.reads).not.toContain('accounts');
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it('reserves and starts if no workflow runs', async () => {
    const url = '@failed-meanwhile';
    await post('/api/channel/profile', { url });
    const first = facades.jobs.start.mock.lastCall![1];
    // The record was not ended, as after a termination by an operator.
    await post('/api/channel/profile', { url });
    const second = facades.jobs.start.mock.lastCall![1];
    expect(second.recordId).not.toBe(first.recordId);
    const holds = (await facades.deps.accounts.reservations(key.id)).map(({ recordId }) => recordId);
    expect(holds).toContain(second.recordId);
  });

  it('answers with a result that ended between two reads, and starts nothing', async () => {
    const video = { vidnet_video_id: 'endedSince1' };
    await post('/api/downloads/audio', video);
    const job = facades.jobs.start.mock.lastCall![1];
    facades.jobs.start.mockClear();
    facades.jobs.running.mockImplementationOnce(async () => {
      await finishRecord(facades.deps.records, job.recordId, { status: 'success', result: {} });
      return 'closed';
    });
    const answer = await post('/api/downloads/audio', video);
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: { id: job.recordId } }]);
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });
});

describe('a burst of new jobs', () => {
  it('is accepted a few at a time, and the first are answered before the last are processed', async () => {
    const within = { timeout: 20_000 };
    const begun: (() => void)[] = [];
    facades.jobs.start.mockImplementation(() => new Promise((resolve) => void begun.push(() => resolve('started'))));
    let answered = 0;
    const answers = Array.from({ length: 3 * ADMISSION_DEFAULTS.concurrency }, async (_, index) => {
      const { status } = await post('/api/channel/profile', { url: `@burst-${String(index)}` });
      answered += 1;
      return status;
    });
    for (const round of [1, 2, 3]) {
      const [before, now] = [(round - 1) * ADMISSION_DEFAULTS.concurrency, round * ADMISSION_DEFAULTS.concurrency];
      await expect.poll(() => begun.length, within).toBe(now);
      expect(answered).toBe(before);
      for (const resolve of begun) resolve();
      await expect.poll(() => answered, within).toBe(now);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([202]));
    // The start delays leave the engines to waiting requests. The last request has only earlier jobs before it.
    const delays = facades.jobs.start.mock.calls.map(([, , how]) => how?.delayMs ?? 0);
    expect(Math.max(...delays)).toBeGreaterThanOrEqual(ADMISSION_DEFAULTS.minStartDelayMs);
    expect(Math.max(...delays)).toBeLessThanOrEqual(ADMISSION_DEFAULTS.maxStartDelayMs);
  });
});
