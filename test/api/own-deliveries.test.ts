import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../contract/http/account-schemas.ts';
import type { DeliveryList } from '../../contract/http/delivery-schemas.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const at = '2026-11-21T09:30:00.000000Z';
const makeKey = async (scopes: Scope[] = ['read', 'jobs', 'webhooks']) => {
  const key = await facades.deps.keys.create({ name: 'test', scopes });
  await facades.deps.accounts.open(key.id, undefined);
  return key;
};
type Key = Awaited<ReturnType<typeof makeKey>>;
const headersOf = (key?: Key): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key.text}` };

/** @param recordId of the download @param subscribedBy the subscribers of each of its deliveries */
async function keepDeliveries(recordId: string, ...subscribedBy: (readonly string[])[]): Promise<string[]> {
  const ids = subscribedBy.map((_callers, index) => `${recordId}-${String(index + 1)}`);
  for (const [index, callers] of subscribedBy.entries()) {
    const id = `webhook/${recordId}/${String(index + 1)}`;
    const url = `https://hook-${String(index + 1)}.example.com/`;
    await facades.deps.deliveries.open({
      id,
      recordId,
      url,
      subscribedBy: callers,
      endpoint: 'downloads/audio',
      createdAt: at,
    });
  }
  return ids;
}
async function listed(query: string, key?: Key): Promise<string[]> {
  const answer = await fetch(`${facades.url}/api/webhook/deliveries?${query}`, { headers: headersOf(key) });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).not.toContain('subscribed');
  return (JSON.parse(text) as DeliveryList).deliveries.map(({ id }) => id);
}
const redeliver = (id: string, key?: Key) =>
  fetch(`${facades.url}/api/webhook/deliveries/${id}/redeliver`, { method: 'POST', headers: headersOf(key) });

describe('the deliveries that a key sees', () => {
  it('are those of its own subscriptions, of one download and of all', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const recordId = ulid();
    const ids = await keepDeliveries(recordId, [one.id], [other.id], [other.id, one.id], [WITHOUT_KEY]);
    for (const query of [`download_id=${recordId}`, '']) {
      expect((await listed(query, one)).toSorted()).toEqual([ids[0], ids[2]]);
      expect((await listed(query, other)).toSorted()).toEqual([ids[1], ids[2]]);
    }
  });

  it('do not include downloads that it requested without a webhook or not at all', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const recordId = ulid();
    await keepDeliveries(recordId, [one.id]);
    await facades.deps.keyDownloads.note(other.id, recordId);
    expect(await listed(`download_id=${recordId}`, other)).toEqual([]);
    expect(await listed('', await makeKey())).toEqual([]);
  });

  it('are paged without those of others', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const expected: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const [own] = await keepDeliveries(ulid(), [one.id], [other.id]);
      expected.unshift(own!);
    }
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await listed(`limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`, one);
      seen.push(...page);
      cursor = page.at(-1);
      if (page.length < 2) break;
    }
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });
});

describe('the deliveries', () => {
  it('that callers without a key see are those without a key', async () => {
    const { id } = await makeKey();
    const recordId = ulid();
    const ids = await keepDeliveries(recordId, [id], [WITHOUT_KEY], [id, WITHOUT_KEY]);
    expect((await listed(`download_id=${recordId}`)).toSorted()).toEqual([ids[1], ids[2]]);
    const all = (await listed('limit=200')).filter((one) => one.startsWith(recordId));
    expect(all.toSorted()).toEqual([ids[1], ids[2]]);
  });

  it('that services see are all deliveries', async () => {
    const recordId = ulid();
    const ids = await keepDeliveries(recordId, [(await makeKey()).id], [WITHOUT_KEY]);
    const { deliveries } = await facades.rpc.webhook.deliveries.query({ download_id: recordId });
    expect(deliveries.map(({ id }) => id).toSorted()).toEqual(ids);
  });
});

describe('a redelivery', () => {
  it('is allowed only to the key that subscribed', async () => {
    const [one, other] = [await makeKey(), await makeKey()];
    const [id] = await keepDeliveries(ulid(), [one.id]);
    for (const stranger of [other, undefined]) {
      const refused = await redeliver(id!, stranger);
      expect(refused.status).toBe(404);
      // The message is the same as for an unknown ID.
      expect(await refused.json()).toEqual(await (await redeliver(`${ulid()}-1`, stranger)).json());
    }
    expect(facades.redeliveries.start).not.toHaveBeenCalled();
    expect((await redeliver(id!, one)).status).toBe(202);
  });

  it('is allowed only to a key with the scope', async () => {
    const key = await makeKey(['read', 'jobs']);
    const [id] = await keepDeliveries(ulid(), [key.id]);
    expect((await redeliver(id!, key)).status).toBe(403);
    expect(await listed('', key)).toEqual([id]);
  });
});

describe('the caller that subscribes to a running job', () => {
  it('is reported to the job', async () => {
    const key = await makeKey();
    const post = (headers: Record<string, string>, path = 'x') =>
      fetch(`${facades.url}/api/channel/profile`, {
        method: 'POST',
        headers: { ...headers, prefer: 'wait=0' },
        body: JSON.stringify({ url: '@subscribed', include_webhook: `https://hooks.example.com/${path}` }),
      });
    await post(headersOf(key));
    const [, running] = facades.jobs.start.mock.lastCall!;
    facades.jobs.start.mockResolvedValue({ running, runId: 'run' });
    const subscribers: (string | undefined)[] = [];
    for (const headers of [headersOf(key), {}]) {
      expect((await post(headers, 'y')).status).toBe(202);
      subscribers.push(facades.jobs.subscribe.mock.lastCall?.[2]);
    }
    expect(subscribers).toEqual([key.id, WITHOUT_KEY]);
  });
});
