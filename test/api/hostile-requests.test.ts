import { BlockList } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../quality/chaos/plan.ts';
import { MAX_TURN_MS, watchLongest } from '../fuzz/hostile/longest.ts';
import { hostileRequest, send } from '../fuzz/hostile/requests.ts';
import { startFacades } from '../helpers/rest-app.ts';

it('no request holds the event loop, with or without a key', async () => {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
  const facades = await startFacades(1e9, { trustedProxies });
  onTestFinished(() => facades.close());
  const { id, text: key } = await facades.deps.keys.create({ name: 'hostile', scopes: ['read', 'jobs', 'webhooks'] });
  await facades.deps.accounts.open(id, undefined);
  // The first requests load and compile code for later ones. The OpenAPI document is made once, at the start.
  for (const path of ['/health', '/api/account', '/openapi.json']) await (await fetch(facades.url + path)).text();
  const port = Number(new URL(facades.url).port);
  const random = createRandom(1);
  const watched = watchLongest();
  await watched.during('/openapi.json', async () => (await fetch(`${facades.url}/openapi.json`)).text());
  const statuses = new Map<number | undefined, number>();
  for (let count = 0; count < 300; count += 1) {
    const request = hostileRequest(random, random.next() < 0.5 ? key : undefined);
    const status = await watched.during(request.label, () => send(port, request));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const { ms, label } = watched.longest();
  console.log(`longest block of the event loop ${ms.toFixed(1)} ms: ${label}`, statuses);
  // The requests reach the router, the schemas and the parser of headers.
  for (const status of [400, 404, 431]) expect(statuses.get(status)).toBeGreaterThan(0);
  expect(statuses.get(500)).toBe(undefined);
  expect(ms, label).toBeLessThan(MAX_TURN_MS);
}, 60_000);
