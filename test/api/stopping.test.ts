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

it('is alive, but neither ready nor healthy, while an engine cannot be reached', async () => {
  facades.jobs.ping.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  expect(await statusOf('/ready')).toBe(503);
  expect(await statusOf('/health')).toBe(503);
  expect(await statusOf('/live')).toBe(200);
  expect(await statusOf('/ready')).toBe(200);
});

it('one check of the engines answers all requests within a second, over both facades', async () => {
  const checked = await startFacades(undefined, { healthKeptMs: 1_000 });
  try {
    const paths = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? '/health' : '/ready'));
    const answers = await Promise.all([
      ...paths.map(async (path) => (await fetch(checked.url + path)).status),
      ...paths.map(async () => ((await checked.rpc.health.query()).status === 'ok' ? 200 : 503)),
    ]);
    expect(new Set(answers)).toEqual(new Set([200]));
    // There are two checks if the hundred requests took longer than a second.
    expect(checked.jobs.ping.mock.calls.length).toBeLessThanOrEqual(2);
    checked.jobs.ping.mockRejectedValue(new Error('away'));
    await until(async () => (await fetch(`${checked.url}/ready`)).status === 503);
  } finally {
    await checked.close();
  }
});

it('reports a database that breaks during a command as unreachable', async () => {
  const broken = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
  vi.spyOn(facades.deps.records, 'list').mockRejectedValueOnce(broken);
  const answer = await fetch(`${facades.url}/api/downloads`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toMatchObject({ code: 'unavailable' });
});

it('does not mistake a caller that leaves for the database', () => {
  const left = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(toApiError(left).code).toBe('internal');
});

it('is not ready when it is about to stop, and keeps no connection alive', async () => {
  facades.stop();
  const ready = await fetch(`${facades.url}/ready`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect(await ready.json()).toEqual({ status: 'unavailable', temporal: 'ok', mongodb: 'ok' });
  expect(await statusOf('/health')).toBe(200);
});
