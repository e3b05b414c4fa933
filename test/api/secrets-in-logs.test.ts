import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const RPC_TOKEN = 'a-token-of-the-service-that-is-long-enough';
const lines: string[] = [];
let facades: Facades;
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  facades = await startFacades(100_000, { rpcToken: RPC_TOKEN, log });
});
afterAll(() => facades.close());

it('no log line contains a key, a token or the path of a webhook URL, whatever goes wrong', async () => {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs', 'webhooks'] });
  await facades.deps.accounts.open(key.id, undefined);
  const secret = key.text.split('_').slice(2).join('_');
  const hook = 'https://hooks.example.com/services/s3cr3t-path';
  const body = JSON.stringify({ vidnet_video_id: 'kX3vQ9mTz0A', include_webhook: hook });
  const headers = { authorization: `Bearer ${key.text}` };
  const audio = () => fetch(`${facades.url}/api/downloads/audio`, { method: 'POST', headers, body });
  expect((await audio()).status).toBe(202);
  facades.jobs.start.mockRejectedValueOnce(new Error('a bug'));
  expect((await audio()).status).toBe(500);
  vi.spyOn(facades.deps.keys, 'get').mockRejectedValueOnce(new Error('the database is away'));
  const other = await facades.deps.keys.create({ name: 'other', scopes: ['read'] });
  const away = await fetch(`${facades.url}/api/downloads`, { headers: { authorization: `Bearer ${other.text}` } });
  expect(away.status).toBe(500);
  const wrong = { authorization: `Bearer ${key.text.slice(0, -1)}` };
  expect((await fetch(`${facades.url}/api/downloads`, { headers: wrong })).status).toBe(401);
  const rpc = (token: string) => fetch(`${facades.rpcUrl}/health`, { headers: { authorization: `Bearer ${token}` } });
  expect((await rpc(RPC_TOKEN)).status).toBe(200);
  expect((await rpc(`${RPC_TOKEN}x`)).status).toBe(401);
  expect(lines.filter((line) => line.includes('"level":50'))).toHaveLength(2);
  for (const hidden of [secret, secret.slice(0, 20), other.text.slice(20), RPC_TOKEN, 's3cr3t-path']) {
    expect(lines.filter((line) => line.includes(hidden))).toEqual([]);
  }
});
