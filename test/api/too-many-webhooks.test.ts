import { BlockList } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorBodySchema } from '../../contract/http/api-error.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { SuccessRecord } from '../../contract/download-record.ts';
import { keepJob, aProfileJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const proxies = new BlockList();
proxies.addAddress('127.0.0.1');
const database = `many-${Math.random().toString(36).slice(2, 10)}`;

// Two processes of the api on one database, and the running jobs by subject.
let facades: Facades[];
let first: Facades;
const open = new Map<string, JobInput>();
beforeAll(async () => {
  facades = [
    await startFacades(100_000, { database, trustedProxies: proxies }),
    await startFacades(100_000, { database, trustedProxies: proxies }),
  ];
  first = facades[0]!;
});
beforeEach(() => {
  open.clear();
  for (const { jobs } of facades) {
    jobs.subscribe.mockReset().mockResolvedValue(true);
    const runningOf = (id: string) => (open.has(id) ? { running: open.get(id)!, runId: 'run' } : 'closed');
    jobs.running.mockReset().mockImplementation((id) => Promise.resolve(runningOf(id)));
    jobs.start.mockReset().mockImplementation((_workflow, input) => {
      const running = runningOf(input.subjectId);
      if (running === 'closed') open.set(input.subjectId, input);
      return Promise.resolve(running === 'closed' ? 'started' : running);
    });
  }
});
afterAll(async () => {
  await facades[1]!.close();
  await first.close();
});

let subjects = 0;
const aChannel = (): string => `@many${String((subjects += 1))}`;
const callsOf = (name: 'start' | 'subscribe'): number =>
  facades.reduce((sum, { jobs }) => sum + jobs[name].mock.calls.length, 0);
/** @param from the address of a caller without a key, as a proxy reports it */
async function post(path: string, body: object, { from = '192.0.2.1', process = 0 } = {}) {
  const response = await fetch(facades[process % 2]!.url + path, {
    ...{ method: 'POST', body: JSON.stringify(body), headers: { 'x-forwarded-for': from, prefer: 'wait=0' } },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const channel = (url: string, webhook: string | undefined, options = {}) =>
  post('/api/channel/profile', { url, ...(webhook === undefined ? {} : { include_webhook: webhook }) }, options);
const hook = (n: number, host = 'hooks.example'): string => `https://${host}/h?n=${String(n)}`;

describe('the webhooks of a job', () => {
  it('are limited to three per host for 40 concurrent requests in two processes', async () => {
    const url = aChannel();
    expect((await channel(url, hook(0))).status).toBe(202);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => channel(url, hook(n + 1), { process: n })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(38);
    const message = 'You have 3 webhooks at this host for this job, which is the maximum.';
    const details = [{ path: 'include_webhook', message }];
    for (const { body } of refused) {
      expect(errorBodySchema.strict().parse(body)).toEqual({ error: message, code: 'too_many_webhooks', details });
    }
    expect([callsOf('subscribe'), open.size]).toEqual([2, 1]);
  });

  it('are limited to 100 for all callers', async () => {
    const url = aChannel();
    const statuses: number[] = [];
    for (let n = 0; n < 104; n += 1) {
      statuses.push((await channel(url, hook(n), { from: `192.0.2.${String(n + 1)}`, process: n })).status);
    }
    expect(statuses).toEqual([...Array<number>(100).fill(202), ...Array<number>(4).fill(409)]);
    expect(callsOf('subscribe')).toBe(99);
    expect((await channel(url, undefined)).status).toBe(202);
  });

  it('are signalled to the job once, however often they are requested', async () => {
    const url = aChannel();
    await channel(url, hook(1));
    for (let times = 0; times < 20; times += 1) {
      expect((await channel(url, hook(1), { process: times })).status).toBe(202);
      expect((await channel(url, hook(2), { process: times })).status).toBe(202);
    }
    expect(callsOf('subscribe')).toBe(1);
  });

  it('are signalled again if the process died before it recorded the signal', async () => {
    const url = aChannel();
    await channel(url, undefined);
    const markKnown = vi.spyOn(first.deps.webhookSubscriptions, 'markKnown').mockRejectedValueOnce(new Error('killed'));
    expect((await channel(url, hook(1))).status).toBe(500);
    markKnown.mockRestore();
    for (let times = 0; times < 3; times += 1) expect((await channel(url, hook(1))).status).toBe(202);
    expect(callsOf('subscribe')).toBe(2);
  });

  it('cost no database query if there are none', async () => {
    const url = aChannel();
    const claim = vi.spyOn(first.deps.webhookSubscriptions, 'claim');
    const markKnown = vi.spyOn(first.deps.webhookSubscriptions, 'markKnown');
    await channel(url, undefined);
    await channel(url, undefined);
    expect([claim, markKnown].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    vi.restoreAllMocks();
  });

  it('are limited over tRPC too, where services are one caller', async () => {
    const url = aChannel();
    for (let n = 0; n < 3; n += 1) await first.rpc.channels.profile.mutate({ url, include_webhook: hook(n) });
    const fourth = first.rpc.channels.profile.mutate({ url, include_webhook: hook(3) });
    await expect(fourth).rejects.toMatchObject({ data: { code: 'CONFLICT' } });
  });
});

describe('a list with a running part that has no room for another webhook', () => {
  it('is refused before the other part is started or signalled', async () => {
    const { parameters: _none, ...profileJob } = aProfileJob('');
    const profile = (await keepJob(first.deps.records, profileJob, { status: 'success', result: {} })) as SuccessRecord;
    const list = (n: number) => post('/api/imgnet/list', { list_id: profile.id, include_webhook: hook(n) });
    for (let n = 0; n < 3; n += 1) expect((await list(n)).status).toBe(202);
    const [posts] = [...open.values()].filter(({ type }) => type === 'imgnet_list_posts');
    open.delete(posts!.subjectId);
    await first.deps.records.finish(
      posts!.recordId,
      { status: 'failed', failure: { code: 'removed', message: 'It is gone.' } },
      '2026-11-22T09:30:00.000000Z',
    );
    const [started, signalled] = [callsOf('start'), callsOf('subscribe')];
    expect(await list(4)).toMatchObject({ status: 409, body: { code: 'too_many_webhooks' } });
    expect([callsOf('start'), callsOf('subscribe')]).toEqual([started, signalled]);
  });
});
