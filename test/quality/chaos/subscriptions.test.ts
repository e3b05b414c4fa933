import { expect, it } from 'vitest';
import type { Client } from '../../../quality/chaos/client.ts';
import type { Reception } from '../../../quality/chaos/stage.ts';
import { auditSubscriptions } from '../../../quality/chaos/subscriptions.ts';
import type { Evidence } from '../../../quality/chaos/audit/evidence.ts';

const BATCH = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const PUBLISHED = ['one', 'two', 'three', 'four'];
const itemOf = (video: string, number = 0) => ({
  ...{ batch_id: BATCH, number, state: 'success', request: { vidnet_video_id: video } },
  record: { id: video },
});

interface Found {
  readonly items?: readonly object[];
  readonly subscription?: object;
  readonly published?: string[];
  readonly webhooks?: readonly string[];
}

/** @returns the number of findings in each of the two columns */
async function audit({ items = PUBLISHED.map(itemOf), subscription, published = PUBLISHED, webhooks }: Found) {
  const state = { started: 4, status: 'active', backlog: { items: 0 }, ...subscription };
  const request = (_method: string, path: string) =>
    Promise.resolve({ status: 200, text: JSON.stringify(path.includes('/items') ? { items } : state) });
  const sent = (webhooks ?? [`${BATCH}-1`]).map((webhookId) => ({ callId: 'subscription1', webhookId }));
  const findings = await auditSubscriptions([{ callId: 'subscription1', url: '', id: 'a', published }], {
    client: { request } as unknown as Client,
    records: new Map(PUBLISHED.map((id) => [id, { status: 'success' }])) as unknown as Evidence['records'],
    receptions: sent as unknown as readonly Reception[],
  });
  return findings.map(({ ids }) => ids.length);
}

it('finds nothing where each new entry was fetched once, with one webhook for each batch', async () => {
  expect(await audit({})).toEqual([0, 0]);
});

it.each<[string, Found, readonly [number, number]]>([
  ['a lost entry', { items: PUBLISHED.slice(1).map(itemOf) }, [1, 0]],
  ['an entry that was fetched again', { items: [...PUBLISHED, 'one'].map(itemOf) }, [1, 0]],
  ['an entry from before the subscription', { items: [...PUBLISHED, 'zero'].map(itemOf) }, [2, 0]],
  [
    'a failed item',
    { items: PUBLISHED.map((id) => ({ ...itemOf(id), ...(id === 'one' && { state: 'failed' }) })) },
    [1, 0],
  ],
  ['a paused subscription', { subscription: { status: 'paused' } }, [1, 0]],
  ['an entry that still waits', { subscription: { backlog: { items: 1 } } }, [1, 0]],
  ['a subscription that was not followed to its end', { published: ['one'] }, [1, 0]],
  ['a webhook that never came', { webhooks: [] }, [0, 1]],
  ['a webhook that came under another id', { webhooks: [`${BATCH}-1`, `${BATCH}-2`] }, [0, 1]],
])('finds %s', async (_, found, counts) => {
  expect(await audit(found)).toEqual(counts);
});
