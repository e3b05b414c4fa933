import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { aTranscriptJob, keepJob } from './jobs.ts';
import { startFacades, type Facades } from './rest-app.ts';

/**
 * How a limit of so many requests a minute counts those that ask for jobs that run.
 *
 * @param limits.ahead of a burst, which are answered before the others are sent. With none, and a small limit, one process may
 *   have used it up before the other has seen that these are no polls: then those pass that are free there.
 */
export function politePolls({ limit, ahead }: { readonly limit: number; readonly ahead: number }): void {
  // Two processes of the api on one database, and Temporal as far as it knows which jobs run.
  let two: Facades[];
  let nowMs = Date.parse('2026-11-21T09:30:00Z');
  const running = new Map<string, JobInput>();
  let headers: Record<string, string>;
  beforeAll(async () => {
    const database = `polls-${randomUUID().slice(0, 8)}`;
    two = [await startFacades(limit, { database }), await startFacades(limit, { database })];
    for (const { deps, jobs } of two) {
      vi.mocked(deps.now).mockImplementation(() => nowMs);
      vi.mocked(deps.elapsed).mockImplementation(() => nowMs);
      jobs.start.mockImplementation((_workflow, input) => {
        const other = running.get(input.subjectId);
        if (other !== undefined) return Promise.resolve({ running: other, runId: 'run' });
        running.set(input.subjectId, input);
        return Promise.resolve('started');
      });
    }
  });
  // Each test has a caller of its own.
  beforeEach(async () => {
    running.clear();
    const { deps } = two[0]!;
    const key = await deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
    await deps.accounts.open(key.id, undefined);
    headers = { authorization: `Bearer ${key.text}`, prefer: 'wait=0' };
  });
  afterAll(() => Promise.all(two.map((one) => one.close())));

  /** More than twice the limit. */
  const many = 2 * limit + 20;
  let sent = 0;
  const get = (path: string) => fetch(two[(sent += 1) % 2]!.url + path, { headers });
  const post = (path: string, body: object) =>
    fetch(two[(sent += 1) % 2]!.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const statusesOf = async (answers: readonly Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status);
  const all = <Item>(count: number, make: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const count = (statuses: readonly number[], status: number): number =>
    statuses.filter((one) => one === status).length;
  const keep = () => keepJob(two[0]!.deps.records, aTranscriptJob());
  const remaining = async () => Number((await get('/api/account')).headers.get('ratelimit-remaining'));
  const finish = async (job: JobInput, outcome: 'success' | 'failed') => {
    running.delete(job.subjectId);
    const at = new Date(nowMs).toISOString().replace('Z', '000Z');
    await two[0]!.deps.records.finish(
      job.recordId,
      outcome === 'success'
        ? { status: 'success', result: {} }
        : { status: 'failed', failure: { code: 'private', message: 'Private.' } },
      at,
    );
  };
  let names = 0;
  const profileUrl = (): string => `@polled.${String((names += 1))}`;

  describe('a client that asks as often as answers tell', () => {
    it('is not counted, with more jobs than the limit has requests, by GET', async () => {
      const jobs = await Promise.all(all(limit + 10, keep));
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all(jobs.map(({ id }) => get(`/downloads/${id}`)));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
        expect(answers[0]!.headers.get('ratelimit-remaining')).toBe(String(limit));
        // A client that is early by the time that an answer takes.
        nowMs += 29_800;
      }
      expect(await remaining()).toBe(limit - 1);
    });

    it('is not counted, when it sends its requests for jobs again', async () => {
      const bodies: { url: string }[] = [];
      // Together more than the limit has requests.
      const some = Math.ceil((limit * 8) / 15);
      for (const newJobs of [some, some, 0]) {
        // All that were started, twice a minute, and new ones.
        for (let half = 0; half < 2; half += 1) {
          const polls = await statusesOf(bodies.map((body) => post('/api/imgnet/profile', body)));
          expect(new Set(polls)).toEqual(bodies.length === 0 ? new Set() : new Set([202]));
          nowMs += 30_000;
        }
        const starts = all(newJobs, () => ({ url: profileUrl() }));
        expect(count(await statusesOf(starts.map((body) => post('/api/imgnet/profile', body))), 202)).toBe(newJobs);
        bodies.push(...starts);
      }
      expect(running.size).toBe(2 * some);
    });

    it('gets lists by sending their requests again', async () => {
      const lists: { list_id: string }[] = [];
      const listed = Math.floor((limit * 2) / 15);
      for (let index = 0; index < listed; index += 1) {
        await post('/api/imgnet/profile', { url: profileUrl() });
        const profile = [...running.values()].at(-1)!;
        await finish(profile, 'success');
        lists.push({ list_id: profile.recordId });
      }
      for (let round = 0; round < 4; round += 1) {
        expect(count(await statusesOf(lists.map((body) => post('/api/imgnet/list', body))), 202)).toBe(listed);
        if (round > 0) expect(await remaining()).toBe(limit - 1);
        nowMs += 60_000;
      }
      // The poll that brings the result.
      for (const job of running.values()) await finish(job, 'success');
      expect(count(await statusesOf(lists.map((body) => post('/api/imgnet/list', body))), 429)).toBe(0);
    });

    it('may also use up its limit', async () => {
      const body = { url: profileUrl() };
      await post('/api/imgnet/profile', body);
      const { recordId } = [...running.values()][0]!;
      expect(count(await statusesOf(all(limit + 10, () => get('/api/account'))), 429)).toBe(11);
      expect((await post('/api/imgnet/profile', body)).status).toBe(202);
      expect((await get(`/downloads/${recordId}`)).status).toBe(202);
      expect((await get('/api/account')).status).toBe(429);
    });
  });

  describe('who asks more often is counted from the first time on: of twice as many at once as the limit no more than that pass', () => {
    const passes = (statuses: readonly number[]) => statuses.length - count(statuses, 429);
    const burst = async (make: () => Promise<Response>) => [
      ...(await statusesOf(all(ahead, make))),
      ...(await statusesOf(all(many - ahead, make))),
    ];
    /** Of polls four may be free: each process sees for itself that they are more than polite. */
    const expectAbout = (passed: number): void => {
      expect(passed).toBeGreaterThanOrEqual(limit);
      expect(passed).toBeLessThanOrEqual(limit + 4);
    };

    it.each(['at once', 'one after the other'])('of GETs of one job that runs, %s', async (how) => {
      const { id } = await keep();
      const statuses: number[] = [];
      if (how === 'at once') statuses.push(...(await burst(() => get(`/downloads/${id}`))));
      else for (let index = 0; index < limit + 20; index += 1) statuses.push((await get(`/downloads/${id}`)).status);
      if (how === 'at once') {
        expectAbout(passes(statuses));
      } else {
        expect(passes(statuses)).toBe(limit);
        expect(statuses.slice(limit)).toEqual(all(20, () => 429));
      }
      // Until the time in Retry-After.
      const refused = await get(`/downloads/${id}`);
      const seconds = Number(refused.headers.get('retry-after'));
      nowMs += seconds * 1000 - 1_001;
      expect((await get(`/downloads/${id}`)).status).toBe(429);
      nowMs += 1_001;
      expect((await get(`/downloads/${id}`)).status).toBe(202);
    });

    it('of GETs of a job that has just ended, and of one that ended long ago', async () => {
      const job = aTranscriptJob();
      await keepJob(two[0]!.deps.records, job, { status: 'success', result: {} }, new Date(nowMs).toISOString());
      expectAbout(passes(await burst(() => get(`/downloads/${job.recordId}`))));
      nowMs += 600_000;
      expectAbout(passes(await burst(() => get(`/downloads/${job.recordId}`))));
    });

    it.each([
      ['/api/imgnet/profile', { url: '@burst' }],
      ['/api/downloads/audio', { vidnet_video_id: 'burst-burst' }],
    ])('of one request for a job at %s', async (path, body) => {
      expect(passes(await burst(() => post(path, body)))).toBe(limit);
      nowMs += 61_000;
      // It is known to be a poll by now.
      expect(passes(await burst(() => post(path, body)))).toBe(limit);
    });

    it('of GETs of ten jobs, besides those of each that are polite', async () => {
      const jobs = await Promise.all(all(10, keep));
      const passed = passes(await statusesOf(all(many, (index) => get(`/downloads/${jobs[index % 10]!.id}`))));
      expect(passed).toBeGreaterThanOrEqual(limit);
      // Nine are requested four times while the tenth uses up the limit.
      expect(passed).toBeLessThanOrEqual(limit + 9 * 4);
    });
  });

  describe('of twice as many new jobs at once as the limit, requested at two processes,', () => {
    it('as many start as the limit has requests', async () => {
      const statuses = await statusesOf(all(many, () => post('/api/imgnet/profile', { url: profileUrl() })));
      expect([count(statuses, 202), count(statuses, 429), running.size]).toEqual([limit, many - limit, limit]);
    });

    it('as many start as requests that read have left, and each process lets one of those pass at most', async () => {
      const asks = all(many, (index) =>
        index % 4 < 2 ? get('/api/account') : post('/api/imgnet/profile', { url: profileUrl() }),
      );
      const passed = many - count(await statusesOf(asks), 429);
      expect(passed).toBeGreaterThanOrEqual(limit);
      expect(passed).toBeLessThanOrEqual(limit + 2);
      expect(running.size).toBeLessThanOrEqual(limit);
    });
  });

  describe('a request that is sent again is counted', () => {
    it('when it starts a job anew, after a failure', async () => {
      const body = { url: profileUrl() };
      await post('/api/imgnet/profile', body);
      await finish([...running.values()][0]!, 'failed');
      nowMs += 61_000;
      expect((await post('/api/imgnet/profile', body)).headers.get('ratelimit-remaining')).toBe(String(limit - 1));
      nowMs += 61_000;
      expect((await post('/api/imgnet/profile', body)).headers.get('ratelimit-remaining')).toBe(String(limit));
    });

    it('when another caller sent it before', async () => {
      const body = { url: profileUrl() };
      await post('/api/imgnet/profile', body);
      const other = await fetch(`${two[0]!.url}/api/imgnet/profile`, { method: 'POST', body: JSON.stringify(body) });
      expect(other.headers.get('ratelimit-remaining')).toBe(String(limit - 1));
    });

    it('when it is about webhooks', async () => {
      const again = () => post('/api/webhook/test', { url: 'https://example.com/' });
      await again();
      nowMs += 30_000;
      expect((await again()).headers.get('ratelimit-remaining')).toBe(String(limit - 2));
    });

    it('beyond 40 polls for each request of the limit', async () => {
      const few = await startFacades(2);
      vi.mocked(few.deps.now).mockImplementation(() => nowMs);
      vi.mocked(few.deps.elapsed).mockImplementation(() => nowMs);
      const jobs = await Promise.all(all(90, () => keepJob(few.deps.records, aTranscriptJob())));
      const statuses = await statusesOf(jobs.map(async ({ id }) => fetch(`${few.url}/downloads/${id}`)));
      await few.close();
      expect(count(statuses, 202)).toBe(80 + 2);
      expect(count(statuses, 429)).toBe(8);
    });
  });
}
