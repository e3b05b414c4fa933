import { Connection, ScheduleClient, ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import type { SubscriptionAnswer, subscriptionItemsSchema } from '../../contract/subscriptions/subscription-request.ts';
import { subscriptionScheduleIdOf } from '../../contract/subscriptions/subscription-state.ts';
import { makeKey } from '../fuzz/key.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.shared();
}, 120_000);
afterAll(() => service.stop());

it('a subscription fetches what its channel publishes, and nothing that was there', async () => {
  const headers = { authorization: `Bearer ${await makeKey(service.stack)}` };
  const ask = async <Body = SubscriptionAnswer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    (await service.request<Body>(method, `/api/subscriptions${path}`, { headers, ...(body && { body }) })).body;
  const change = async (body: object): Promise<string> => {
    const answer = await fetch(`${service.sandbox.url}/change`, { method: 'POST', body: JSON.stringify(body) });
    return ((await answer.json()) as { readonly id: string }).id;
  };
  const talks = service.sandbox.channels.find((one) => one.case === 'ordinary')!;
  const from = `${service.sandbox.url}/${talks.handle}`;
  const { id } = await ask('POST', '', { from, each: { operation: 'requestAudio' }, since: 'now', every: '30d' });
  const checked = (since: string | null): Promise<SubscriptionAnswer> =>
    until(async () => {
      const now = await ask('GET', `/${id}`);
      return now.checked_at !== since && now.checked_at !== null ? now : undefined;
    });
  const first = await checked(null);
  expect(first).toMatchObject({ started: 0, failure: null, backlog: { items: 0 } });

  const video = await change({ publish: talks.handle, title: 'Tea, again' });
  const premiere = await change({ publish: talks.handle, title: 'Tea, soon', case: 'upcoming' });
  await ask('POST', `/${id}/check`);
  const second = await checked(first.checked_at);
  expect(second).toMatchObject({ started: 1, cost_today: '0.005', backlog: { items: 1, cost: '0.005' } });
  await change({ rename: video, title: 'Tea, for ever' });
  await change({ end: premiere });
  await ask('POST', `/${id}/check`);
  expect(await checked(second.checked_at)).toMatchObject({ started: 2, backlog: { items: 0 } });

  const items = await until(async () => {
    const page = await ask<z.infer<typeof subscriptionItemsSchema>>('GET', `/${id}/items`);
    return page.items.every(({ state }) => state === 'success') ? page.items : undefined;
  });
  expect(items.map(({ request }) => request['vidnet_video_id'])).toEqual([premiere, video]);

  const connection = await Connection.connect({ address: service.stack.env['TEMPORAL_ADDRESS']! });
  const schedule = new ScheduleClient({ connection }).getHandle(subscriptionScheduleIdOf(id));
  expect((await schedule.describe()).spec.intervals).toMatchObject([{ every: 30 * 24 * 3_600_000 }]);
  expect(await ask('POST', `/${id}/pause`)).toMatchObject({ status: 'paused', pause: { code: 'requested' } });
  expect((await schedule.describe()).state.paused).toBe(true);
  await ask('DELETE', `/${id}`);
  await expect(schedule.describe()).rejects.toThrow();
  await connection.close();
  await change({ remove: video });
  await change({ remove: premiere });
}, 180_000);

it('a subscription that is deleted while it is resumed answers 202 or 404, and leaves no schedule', async () => {
  const headers = { authorization: `Bearer ${await makeKey(service.stack)}` };
  const connection = await Connection.connect({ address: service.stack.env['TEMPORAL_ADDRESS']! });
  const talks = service.sandbox.channels.find((one) => one.case === 'ordinary')!;
  const body = {
    ...{ from: `${service.sandbox.url}/${talks.handle}`, each: { operation: 'requestAudio' } },
    ...{ since: 'now', every: '30d' },
  };
  for (let round = 0; round < 3; round += 1) {
    const created = await service.request<SubscriptionAnswer>('POST', '/api/subscriptions', { headers, body });
    const path = `/api/subscriptions/${created.body.id}`;
    const resumed = Array.from({ length: 6 }, () => service.request('POST', `${path}/resume`, { headers }));
    const deleted = await service.request('DELETE', path, { headers });
    expect(deleted.status).toBe(200);
    for (const { status } of await Promise.all(resumed)) expect([202, 404]).toContain(status);
    const schedule = new ScheduleClient({ connection }).getHandle(subscriptionScheduleIdOf(created.body.id));
    await expect(schedule.describe()).rejects.toThrow(ScheduleNotFoundError);
  }
  await connection.close();
}, 60_000);
