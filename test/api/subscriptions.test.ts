import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newBatch } from '../../contract/batches/batch-state.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void vi.restoreAllMocks());

const from = 'https://www.youtube.com/@evening-talks';
const request = { from, each: { operation: 'requestAudio' }, since: 'now' };

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${facades.url}/api/subscriptions${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}
const created = async (more: object = {}) => String((await ask('POST', '', { ...request, ...more })).body['id']);

describe('POST /api/subscriptions', () => {
  it('answers 202 with the subscription, and creates its schedule', async () => {
    const put = vi.spyOn(facades.deps.schedules, 'put');
    const { status, body } = await ask('POST', '', {
      ...request,
      every: '90m',
      max_cost_per_day: '0.100',
      name: 'Talks',
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      ...{ name: 'Talks', from, each: request.each, filter: {}, since: 'now', every: '90m', status: 'active' },
      ...{ pause: null, backlog: { items: 0, cost: '0.000' }, started: 0, cost_today: '0.000', failure: null },
      ...{ max_cost_per_day: '0.100', checked_at: null },
    });
    const source = expect.objectContaining({ url: from }) as object;
    expect(put).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: body['id'], everyMinutes: 90, source }));
    expect(put.mock.calls[0]![0]).not.toHaveProperty('pause');
    expect(await ask('GET', `/${String(body['id'])}`)).toEqual({ status: 200, body });
    const { subscriptions } = (await ask('GET', '')).body as unknown as { subscriptions: object[] };
    expect(subscriptions[0]).toEqual(body);
  });

  it('keeps nothing if its schedule cannot be created', async () => {
    vi.spyOn(facades.deps.schedules, 'put').mockRejectedValueOnce(new Error('Temporal is away'));
    const before = (await ask('GET', '?limit=200')).body;
    expect((await ask('POST', '', request)).status).toBe(500);
    expect((await ask('GET', '?limit=200')).body).toEqual(before);
  });

  it.each([
    ['no date', { since: undefined }, 'since'],
    ['a date in the future', { since: '2999-01-01' }, 'since'],
    ['a text as a date', { since: 'yesterday' }, 'since'],
    ['a check every 14 minutes', { every: '14m' }, 'every'],
    ['a check every 31 days', { every: '31d' }, 'every'],
    ['a time without a unit', { every: '60' }, 'every'],
    ['a video', { from: 'https://youtu.be/kX3vQ9mTz0A' }, 'from'],
    ['too little money for one entry', { max_cost_per_day: '0.004' }, 'max_cost_per_day'],
    ['a private webhook', { include_webhook: 'http://127.0.0.1/' }, 'include_webhook'],
    ['a private webhook of the items', { item_webhooks: 'http://127.0.0.1/' }, 'item_webhooks'],
    ['an unknown kind', { filter: { kinds: ['film'] } }, 'filter.kinds.0'],
  ])('refuses %s, names the field and starts nothing', async (_what, more, field) => {
    const put = vi.spyOn(facades.deps.schedules, 'put');
    const { status, body } = await ask('POST', '', { ...request, ...more });
    expect([status, body['details']]).toMatchObject([400, [{ path: field }]]);
    expect(put).not.toHaveBeenCalled();
  });
});

describe('a subscription', () => {
  it('is changed in the given fields, and only a new interval changes the schedule', async () => {
    const id = await created({ name: 'Talks', filter: { kinds: ['video'] } });
    const put = vi.spyOn(facades.deps.schedules, 'put');
    const filter = { kinds: ['video'], title_contains: 'tea' };
    expect((await ask('PATCH', `/${id}`, { filter })).body).toMatchObject({ filter, name: 'Talks', every: '6h' });
    expect(put).not.toHaveBeenCalled();
    expect((await ask('PATCH', `/${id}`, { every: '1d', name: 'Tea' })).body).toMatchObject({
      every: '1d',
      name: 'Tea',
    });
    expect(put).toHaveBeenCalledOnce();
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ filter, every: '1d', name: 'Tea' });
    const kinds = await ask('PATCH', `/${id}`, { filter: { kinds: ['short'] } });
    expect([kinds.status, kinds.body['details']]).toMatchObject([400, [{ path: 'filter.kinds' }]]);
  });

  it('is paused, resumed, checked and deleted', async () => {
    const id = await created();
    const { schedules, subscriptions } = facades.deps;
    const [put, pause, remove] = [
      vi.spyOn(schedules, 'put'),
      vi.spyOn(schedules, 'pause'),
      vi.spyOn(schedules, 'remove'),
    ];
    expect(await ask('POST', `/${id}/check`)).toMatchObject({ status: 202, body: { status: 'active' } });
    expect((await ask('POST', `/${id}/pause`)).body).toMatchObject({ status: 'paused', pause: { code: 'requested' } });
    expect(pause).toHaveBeenCalledExactlyOnceWith(id, 'requested');
    expect((await ask('POST', `/${id}/check`)).body).toMatchObject({ code: 'not_ready' });
    const failure = { code: 'removed', message: 'Gone.' } as const;
    await subscriptions.change(id, { failing: { sinceMs: 0, checks: 9, failure } });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ failure });
    const resumed = await ask('POST', `/${id}/resume`);
    expect(resumed).toMatchObject({ status: 202, body: { status: 'active', pause: null, failure: null } });
    expect((await ask('GET', `/${id}`)).body).toEqual(resumed.body);
    expect(put).toHaveBeenCalledTimes(2);
    expect((await ask('DELETE', `/${id}`)).status).toBe(200);
    expect(remove).toHaveBeenCalledExactlyOnceWith(id);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
  });

  it('leaves no schedule when it is deleted while it is resumed', async () => {
    const id = await created();
    const { schedules, subscriptions } = facades.deps;
    vi.spyOn(schedules, 'put').mockImplementation(() => subscriptions.remove(id));
    const remove = vi.spyOn(schedules, 'remove');
    expect((await ask('POST', `/${id}/resume`)).status).toBe(404);
    expect(remove).toHaveBeenCalledExactlyOnceWith(id);
  });

  it('lists the items of its batches, those of the newest one first, page by page', async () => {
    const id = await created();
    const { batches } = facades.deps;
    const item = (video: string) => ({
      request: { operation: 'requestAudio', vidnet_video_id: video, include_webhook: undefined } as const,
      ...{ subjectId: `audio/${video}`, price: 5 },
    });
    const batchIds = ['01JD5Z3K6VQ0W8R9T2X4Y6B8C1', '01JD5Z3K6VQ0W8R9T2X4Y6B8C2'];
    for (const [index, batchId] of batchIds.entries()) {
      const createdAt = '2026-11-21T09:30:00.123456Z';
      await batches.create(
        newBatch({ id: batchId, startedBy: 'anonymous', createdAt, updatedAtMs: 0, subscriptionId: id }),
      );
      await batches.fill(batchId, [item(`kX3vQ9mTz${String(index)}A`), item(`kX3vQ9mTz${String(index)}B`)]);
    }
    const seen: [string, number][] = [];
    let cursor: string | null = null;
    do {
      const page = await ask('GET', `/${id}/items?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      const { items, next_cursor } = page.body as unknown as {
        readonly items: readonly { readonly batch_id: string; readonly number: number }[];
        readonly next_cursor: string | null;
      };
      seen.push(...items.map((one): [string, number] => [one.batch_id, one.number]));
      cursor = next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([
      [batchIds[1], 0],
      [batchIds[1], 1],
      [batchIds[0], 0],
      [batchIds[0], 1],
    ]);
  });

  it('is not found by its id if another caller has created it', async () => {
    const id = await created();
    const key = await facades.deps.keys.create({ name: 'other', scopes: ['read', 'jobs'] });
    const headers = { authorization: `Bearer ${key.text}` };
    for (const [method, tail] of [
      ...[
        ['GET', ''],
        ['GET', '/items'],
        ['DELETE', ''],
        ['POST', '/pause'],
        ['POST', '/resume'],
        ['POST', '/check'],
      ],
    ] as const) {
      expect([tail, (await ask(method, `/${id}${tail}`, undefined, headers)).status]).toEqual([tail, 404]);
    }
    expect((await ask('PATCH', `/${id}`, {}, headers)).status).toBe(404);
    expect((await ask('GET', '', undefined, headers)).body).toEqual({ subscriptions: [], next_cursor: null });
  });
});
