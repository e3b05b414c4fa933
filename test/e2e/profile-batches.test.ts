import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImgnetListPending } from '../../contract/kinds/imgnet-list.ts';
import type { ImgnetProfile } from '../../contract/kinds/imgnet-profile.ts';
import type { SubscriptionAnswer } from '../../contract/subscriptions/subscription-request.ts';
import { makeKey } from '../fuzz/key.ts';
import { batchCaller } from '../helpers/batch-run.ts';
import { datasetStats, imgnetIndex, type ImgnetIndex } from '../helpers/imgnet.ts';
import { TestService, untilAnswered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let index: ImgnetIndex;
beforeAll(async () => {
  service = await TestService.shared();
  index = await imgnetIndex(service);
}, 120_000);
afterAll(() => service.stop());

const callerWith = async (credit?: number) =>
  batchCaller(service, { authorization: `Bearer ${await makeKey(service.stack, credit)}` });
const accountOf = (kind: string) => index.accounts.find((account) => account.case === kind)!;
const files = { operation: 'requestMedia', format: 'video' };
const collections = async (name: string): Promise<readonly (number | undefined)[]> => {
  const { started } = await datasetStats(service);
  return ['profiles', 'posts', 'reels'].map((dataset) => started[`${dataset} ${name}`]);
};

describe('a batch of a profile', () => {
  it('collects and charges the list once, and fetches the newest posts and reels', async () => {
    const caller = await callerWith(1000);
    const { url, user_name: name } = accountOf('business');
    const started = await caller.start({ from: url, each: files, limit: 6, max_cost: '1.000' });
    expect(started.status).toBe(202);
    // The number of posts is not known yet.
    expect(started.body).toMatchObject({
      ...{ status: 'listing', from: url, items: 0 },
      ...{ list_cost: '0.020', cost: '0.000', cost_at_most: '0.020' },
    });
    const ended = await caller.untilStatus(started.body.id, 'finished');
    // The profile costs 0.010, its 20 posts and reels 0.001 each, and each item 0.010.
    expect(ended).toMatchObject({ items: 6, counts: { success: 6 }, list_cost: '0.030', cost: '0.090' });
    expect(await caller.account()).toMatchObject({ spent: '0.090', reserved: '0.000' });
    expect(await collections(name)).toEqual([1, 1, 1]);
    const items = await caller.items(ended.id);
    expect(items.every(({ request }) => /\/(?:p|reel)\//.test(String(request['url'])))).toBe(true);

    // A list that is fresh is joined by another key, too.
    const other = await callerWith(1000);
    const each = { operation: 'requestImgnetAudio' };
    const reels = await other.start({ from: url, each, filter: { kinds: ['reel'] }, order: 'oldest' });
    expect(reels.body.list_cost).toBe('0.000');
    const audio = await other.untilStatus(reels.body.id, 'finished');
    expect(audio).toMatchObject({ items: 6, list_cost: '0.000', cost: '0.030' });
    const urls = (await other.items(audio.id)).map(({ request }) => String(request['url']));
    expect(urls.every((one) => one.includes('/reel/'))).toBe(true);
    expect(await collections(name)).toEqual([1, 1, 1]);
  }, 180_000);

  it('is refused with too little credit for the list, and fails if the real price of the list exceeds the credit', async () => {
    const { url } = accountOf('ordinary');
    const poor = await (await callerWith(19)).start({ from: url, each: files });
    expect([poor.status, poor.body]).toMatchObject([402, { code: 'insufficient_credit' }]);

    const caller = await callerWith(25);
    const { body } = await caller.start({ from: url, each: files });
    const failed = await caller.untilStatus(body.id, 'failed');
    expect(failed).toMatchObject({ failure: { code: 'insufficient_credit' }, list_cost: '0.010', cost: '0.010' });
    expect(await caller.account()).toMatchObject({ spent: '0.010', reserved: '0.000' });

    // The profile is known now, and its list of 60 costs 0.060.
    const limited = await (await callerWith()).start({ from: url, each: files, max_cost: '0.069' });
    expect(limited.status).toBe(400);
    expect(JSON.stringify(limited.body)).toContain('must be at least 0.070');
    expect(await collections(accountOf('ordinary').user_name)).toEqual([1, undefined, undefined]);
  }, 120_000);

  it('joins a list that is being collected, and pays for its items only', async () => {
    const { url, user_name: name } = accountOf('ordinary');
    const slow = { target: 'dataset', account: name, dataset: 'reels', mode: 'slow', seconds: 8, times: 1 };
    const { list_id } = await untilAnswered(
      () => service.request<ImgnetProfile>('POST', '/api/imgnet/profile', { body: { url } }),
      'the profile',
    );
    await service.misbehave(slow);
    const list = await service.request<ImgnetListPending>('POST', '/api/imgnet/list', { body: { list_id } });
    expect(list.status).toBe(202);

    const caller = await callerWith(1000);
    const each = { operation: 'requestImgnetContent' };
    const { body } = await caller.start({
      from: url,
      each,
      limit: 3,
      filter: { kinds: ['post'], before: '2999-01-01' },
    });
    expect(body.list_cost).toBe('0.000');
    const ended = await caller.untilStatus(body.id, 'finished');
    expect(ended).toMatchObject({ items: 3, counts: { success: 3 }, list_cost: '0.000' });
    expect((await caller.account()).spent).toBe(ended.cost);
    expect(await collections(name)).toEqual([1, 1, 1]);
  }, 180_000);

  it('that is cancelled cancels the jobs that collect its list, except those for which others wait', async () => {
    const { url, user_name: account } = accountOf('large');
    for (const dataset of ['posts', 'reels'])
      await service.misbehave({ target: 'dataset', account, dataset, mode: 'slow', seconds: 600, times: 2 });
    const caller = await callerWith(60_000);
    const pending = async () =>
      (await caller.ask<{ downloads: readonly { id: string }[] }>('GET', '/api/downloads?status=pending')).body
        .downloads;
    const collecting = async (cost: string): Promise<string> => {
      const { id } = (await caller.start({ from: url, each: files, limit: 1 })).body;
      await until(async () => (await pending()).length === 2 && (await caller.get(id)).body.list_cost === cost);
      return id;
    };
    const cancelled = async (id: string) => {
      expect((await caller.ask('POST', `/api/batches/${id}/cancel`)).status).toBe(202);
      return caller.untilStatus(id, 'cancelled');
    };
    const joined = await collecting('22.010');
    const { list_id } = await untilAnswered(
      () => service.request<ImgnetProfile>('POST', '/api/imgnet/profile', { body: { url } }),
      'the profile',
    );
    const list = () => service.request<ImgnetListPending>('POST', '/api/imgnet/list', { body: { list_id } });
    expect((await list()).status).toBe(202);
    expect(await cancelled(joined)).toMatchObject({ items: 0, list_cost: '22.010', cost: '22.010' });
    expect((await list()).status).toBe(202);
    const left = await pending();
    expect(left).toHaveLength(2);
    for (const { id } of left) {
      await service.request('DELETE', `/downloads/${id}`, { headers: caller.headers });
    }
    await until(async () => (await pending()).length === 0);

    expect(await cancelled(await collecting('22.000'))).toMatchObject({ items: 0, cost: '22.000' });
    expect(await pending()).toEqual([]);
    expect(await caller.account()).toMatchObject({ spent: '44.010', reserved: '0.000' });
  }, 180_000);

  it.each([
    ['private', 'private'],
    ['not_found', 'removed'],
  ])(
    'that is %s fails as %s',
    async (kind, code) => {
      const caller = await callerWith(1000);
      const { body } = await caller.start({ from: accountOf(kind).url, each: files });
      const failed = await caller.untilStatus(body.id, 'failed');
      expect(failed).toMatchObject({ failure: { code }, items: 0 });
      expect((await caller.account()).spent).toBe(failed.cost);
    },
    120_000,
  );
});

it('a subscription to a profile states what its checks cost, and pays for its list once', async () => {
  const headers = { authorization: `Bearer ${await makeKey(service.stack, 1000)}` };
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await service.request<SubscriptionAnswer>(method, `/api/subscriptions${path}`, { headers, ...(body && { body }) }))
      .body;
  const { url } = accountOf('empty');
  const created = await ask('POST', '', { from: url, each: files, since: 'all', every: '30d' });
  expect(created).toMatchObject({ check_cost: '0.020', cost_today: '0.000' });
  const checked = (since: string | null) =>
    until(async () => {
      const now = await ask('GET', `/${created.id}`);
      return now.checked_at !== since ? now : undefined;
    });
  const first = await checked(null);
  expect(first).toMatchObject({ failure: null, check_cost: '0.020', cost_today: '0.020', backlog: { items: 0 } });
  await ask('POST', `/${created.id}/check`);
  expect(await checked(first.checked_at)).toMatchObject({ failure: null, cost_today: '0.020' });
}, 120_000);
