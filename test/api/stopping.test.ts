import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

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

it('tells a database that breaks in the middle of a command as away', async () => {
  const broken = Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' });
  vi.spyOn(facades.deps.records, 'list').mockRejectedValueOnce(broken);
  const answer = await fetch(`${facades.url}/api/downloads`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toMatchObject({ code: 'unavailable' });
});

it('is not ready any more once it is about to stop, and keeps no connection', async () => {
  facades.stop();
  const ready = await fetch(`${facades.url}/ready`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect(await ready.json()).toEqual({ status: 'unavailable', temporal: 'ok', mongodb: 'ok' });
  expect(await statusOf('/health')).toBe(200);
});
