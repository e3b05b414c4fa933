import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { toApiError } from '../../api/http/to-api-error.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const statusOf = async (path: string): Promise<number> => (await fetch(facades.url + path)).status;

it('is alive, and neither ready nor healthy, while an engine is away', async () => {
  facades.jobs.ping.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  expect(await statusOf('/ready')).toBe(503);
  expect(await statusOf('/health')).toBe(503);
  expect(await statusOf('/live')).toBe(200);
  expect(await statusOf('/ready')).toBe(200);
});

it('one look at the engines answers all who ask within a second, over both facades', async () => {
  const asked = await startFacades(undefined, { healthKeptMs: 1_000 });
  try {
    const paths = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? '/health' : '/ready'));
    const answers = await Promise.all([
      ...paths.map(async (path) => (await fetch(asked.url + path)).status),
      ...paths.map(async () => ((await asked.rpc.health.query()).status === 'ok' ? 200 : 503)),
    ]);
    expect(new Set(answers)).toEqual(new Set([200]));
    // Two, when the hundred took longer than a second.
    expect(asked.jobs.ping.mock.calls.length).toBeLessThanOrEqual(2);
    asked.jobs.ping.mockRejectedValue(new Error('away'));
    await until(async () => (await fetch(`${asked.url}/ready`)).status === 503);
  } finally {
    await asked.close();
  }
});

it('tells a database that breaks in the middle of a command as away', async () => {
  const broken = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
  vi.spyOn(facades.deps.records, 'list').mockRejectedValueOnce(broken);
  const answer = await fetch(`${facades.url}/api/downloads`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toMatchObject({ code: 'unavailable' });
});

it('takes a caller who breaks off for no database', () => {
  const left = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(toApiError(left).code).toBe('internal');
});

it('is not ready any more once it is about to stop, and keeps no connection', async () => {
  facades.stop();
  const ready = await fetch(`${facades.url}/ready`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect(await ready.json()).toEqual({ status: 'unavailable', temporal: 'ok', mongodb: 'ok' });
  expect(await statusOf('/health')).toBe(200);
});
