import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BatchAnswer } from '../../contract/batches/batch-answers.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const audio = (id: string) => ({ operation: 'requestAudio', vidnet_video_id: id });
const two = [audio('kX3vQ9mTz0A'), { ...audio('kX3vQ9mTz0A'), operation: 'requestVideo' }];
const TALKS = 'https://www.youtube.com/@evening-talks';
const each = { operation: 'requestAudio' };
const PROFILE = 'https://www.instagram.com/evening.talks/';
const files = { operation: 'requestMedia', format: 'video' };
const post = (body: object, path = '/api/batches') => facades.post(path, JSON.stringify(body));
const get = async (path: string) => {
  const response = await fetch(facades.url + path);
  return { status: response.status, body: (await response.json()) as Record<string, never> };
};

describe('POST /api/batches', () => {
  it('answers 202 with the batch, starts its workflow, and lists its items', async () => {
    const start = vi.spyOn(facades.deps.batchRuns, 'start');
    const { status, body } = await post({ items: two, name: 'Talks', max_cost: '1.000' });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      ...{ name: 'Talks', status: 'running', pause: null, items: 2, cost: '0.000', cost_at_most: '0.015' },
      ...{ max_cost: '1.000', items_per_minute: null, seconds_left: null, finished_at: null },
      counts: { waiting: 2, running: 0 },
    });
    expect(start).toHaveBeenCalledWith({ batchId: body['id'], startedBy: 'anonymous', end: 1 });
    const path = `/api/batches/${String(body['id'])}`;
    // Links are signed anew.
    expect((await get(path)).body).toEqual({ ...body, archive_url: expect.any(String) as string });
    const first = await get(`${path}/items?limit=1`);
    expect(first.body).toEqual({
      items: [
        {
          ...{ number: 0, state: 'waiting', operation: 'requestAudio', cost: '0.000', failure: null, record: null },
          request: { vidnet_video_id: 'kX3vQ9mTz0A' },
        },
      ],
      next_cursor: 1,
    });
    expect((await get(`${path}/items?cursor=1`)).body).toMatchObject({ items: [{ number: 1 }], next_cursor: null });
    expect((await get(`${path}/items?state=failed`)).body).toEqual({ items: [], next_cursor: null });
    const list = (await get('/api/batches')).body as unknown as { readonly batches: readonly BatchAnswer[] };
    expect(list.batches.map(({ id }) => id)).toContain(body['id']);
  });

  it('takes a list instead of items, which the workflow reads first', async () => {
    const start = vi.spyOn(facades.deps.batchRuns, 'start');
    const filter = { title_contains: 'tea', kinds: ['video'], after: '2026-01-01' };
    const { status, body } = await post({ from: TALKS, each, filter, limit: 50, order: 'oldest', max_cost: '0.010' });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'listing', from: TALKS, failure: null, items: 0, cost_at_most: '0.000' });
    const id = String(body['id']);
    expect(start).toHaveBeenCalledWith({ batchId: id, startedBy: 'anonymous', end: 1 });
    expect((await facades.deps.batches.get(id))!.source).toEqual({
      ...{ url: TALKS, list: { kind: 'channel', path: '@evening-talks' }, each },
      ...{ filter, limit: 50, order: 'oldest', isListed: false },
    });
    const failure = { code: 'removed', message: 'The channel was removed or does not exist.' } as const;
    await facades.deps.batches.change(id, { status: 'failed', failure });
    expect((await get(`/api/batches/${id}`)).body).toMatchObject({ status: 'failed', failure });
    expect((await post({}, `/api/batches/${id}/retry`)).status).toBe(202);
    expect(start).toHaveBeenLastCalledWith(expect.objectContaining({ end: 2, isRetry: true }));
  });

  it.each([
    ['https://www.youtube.com/playlist?list=PLabc', { kind: 'playlist', id: 'PLabc' }],
    ['https://www.youtube.com/watch?v=kX3vQ9mTz0A&list=PLabc', { kind: 'playlist', id: 'PLabc' }],
    ['https://example.com/feed.xml#x', { kind: 'page', url: 'https://example.com/feed.xml', site: 'example.com' }],
    ['https://www.instagram.com/Evening.Talks/', { kind: 'profile', account: 'evening.talks' }],
    ['instagram.com/evening.talks/reels/?hl=en', { kind: 'profile', account: 'evening.talks' }],
    ['https://instagr.am/_u/evening.talks', { kind: 'profile', account: 'evening.talks' }],
  ])('knows the list %s', async (from, list) => {
    const ofKind: Record<string, object> = {
      page: { operation: 'requestMedia', format: 'audio' },
      profile: { operation: 'requestMedia', format: 'video' },
    };
    const { body } = await post({ from, each: ofKind[list.kind] ?? each });
    expect((await facades.deps.batches.get(String(body['id'])))!.source).toMatchObject({ list });
  });

  it.each([
    ['an empty list', { items: [] }, 'items'],
    ['items and a list', { items: two, from: TALKS, each }, 'items'],
    ['a list without an operation', { from: TALKS }, 'each'],
    ['an operation without a list', { items: two, each }, 'each'],
    ['a filter without a list', { items: two, filter: {} }, 'from'],
    ['an operation that is not for entries', { from: TALKS, each: { operation: 'requestChannel' } }, 'each.operation'],
    ['an invalid option', { from: TALKS, each: { operation: 'requestTranscript', language: 'x!' } }, 'each.language'],
    ['a video as a list', { from: 'https://youtu.be/kX3vQ9mTz0A', each }, 'from'],
    ['a post as a list', { from: 'https://www.instagram.com/p/DAbCdEfGhIj/', each }, 'from'],
    ['audio of another platform for a profile', { from: PROFILE, each }, 'each.operation'],
    ['posts of a channel', { from: TALKS, each: { operation: 'requestImgnetContent' } }, 'each.operation'],
    ['the sound of a post as media', { from: PROFILE, each: { operation: 'requestMedia', format: 'audio' } }, 'format'],
    ['streams of a profile', { from: PROFILE, each: files, filter: { kinds: ['post', 'stream'] } }, 'filter.kinds'],
    ['reels of a channel', { from: TALKS, each, filter: { kinds: ['reel'] } }, 'filter.kinds'],
    ['a max_cost below the list and one post', { from: PROFILE, each: files, max_cost: '0.029' }, 'max_cost'],
    ['a private list', { from: 'http://10.0.0.1/feed', each: { operation: 'requestMedia', format: 'audio' } }, 'from'],
    ['a text as a list', { from: 'evening talks!', each: { operation: 'requestMedia', format: 'audio' } }, 'from'],
    ['audio of a platform for another site', { from: 'https://example.com/feed', each }, 'each.operation'],
    ['a day that does not exist', { from: TALKS, each, filter: { after: '2026-02-30' } }, 'filter.after'],
    [
      'a filter of days without a day',
      { from: TALKS, each, filter: { after: '2026-03-01', before: '2026-03-01' } },
      'filter.before',
    ],
    [
      'a filter of lengths without a length',
      { from: TALKS, each, filter: { min_seconds: 9, max_seconds: 8 } },
      'filter.max_seconds',
    ],
    ['an unknown kind', { from: TALKS, each, filter: { kinds: ['film'] } }, 'filter.kinds.0'],
    ['an empty title', { from: TALKS, each, filter: { title_contains: ' ' } }, 'filter.title_contains'],
    ['a limit of none', { from: TALKS, each, limit: 0 }, 'limit'],
    ['a max_cost below the price of one entry', { from: TALKS, each, max_cost: '0.004' }, 'max_cost'],
    ['no list', {}, 'items'],
    ['an unknown operation', { items: [{ operation: 'requestTea' }] }, 'items.0.operation'],
    ['an invalid id', { items: [two[0], audio('short')] }, 'items.1.vidnet_video_id'],
    ['two items that mean the same job', { items: [...two, audio('kX3vQ9mTz0A')] }, 'items.2'],
    [
      'two links of one page',
      {
        items: ['', '?utm_source=x'].map((tail) => ({
          ...{ operation: 'requestMedia', format: 'audio', url: `https://example.com/talk${tail}` },
        })),
      },
      'items.1',
    ],
    [
      'a private page',
      { items: [{ operation: 'requestMedia', format: 'audio', url: 'http://10.0.0.1/' }] },
      'items.0.url',
    ],
    [
      'a text that is no channel',
      { items: [{ operation: 'requestChannel', url: 'https://example.com/' }] },
      'items.0.url',
    ],
    ['a max_cost below the price of one item', { items: two, max_cost: '0.004' }, 'max_cost'],
    ['a max_cost that is no amount', { items: two, max_cost: 'much' }, 'max_cost'],
    ['an unknown code to skip', { items: two, skip: ['boring'] }, 'skip.0'],
    ['a private webhook', { items: two, include_webhook: 'http://127.0.0.1/' }, 'include_webhook'],
    ['a private webhook of the items', { items: two, item_webhooks: 'http://127.0.0.1/' }, 'item_webhooks'],
    [
      'a private webhook of one item',
      { items: [{ ...two[0], include_webhook: 'http://127.0.0.1/' }] },
      'items.0.include_webhook',
    ],
  ])('refuses %s, names the field and starts nothing', async (_what, body, field) => {
    const start = vi.spyOn(facades.deps.batchRuns, 'start').mockClear();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    const [detail] = answer.body['details'] as { readonly path: string }[];
    expect(detail?.path).toBe(field);
    expect(start).not.toHaveBeenCalled();
  });

  it('takes 10,000 items, and refuses one more and a body above the limit', async () => {
    const items = Array.from({ length: 10_001 }, (_, number) => audio(`kX3vQ9${String(number).padStart(5, '0')}`));
    expect((await post({ items: items.slice(1) })).status).toBe(202);
    const many = await post({ items });
    expect([many.status, many.body['details']]).toMatchObject([400, [{ path: 'items' }]]);
    const large = await post({ items: two, name: 'x'.repeat(5_000_000) });
    expect([large.status, large.body['error']]).toEqual([413, 'The body is larger than 4096 KiB.']);
  }, 60_000);
});

describe('a batch', () => {
  it('is not found by its id if another caller has started it', async () => {
    const { body } = await post({ items: two });
    const key = await facades.deps.keys.create({ name: 'other', scopes: ['read', 'jobs'] });
    const headers = { authorization: `Bearer ${key.text}` };
    const id = String(body['id']);
    for (const [method, tail] of [
      ['GET', ''],
      ['GET', '/items'],
      ['POST', '/cancel'],
      ['POST', '/resume'],
      ['POST', '/retry'],
    ]) {
      const { status } = await fetch(`${facades.url}/api/batches/${id}${tail!}`, { method: method!, headers });
      expect([tail, status]).toEqual([tail, 404]);
    }
    const { body: list } = await get('/api/batches?limit=200');
    expect(JSON.stringify(list)).toContain(id);
    const own = await fetch(`${facades.url}/api/batches`, { headers });
    expect(await own.json()).toEqual({ batches: [], next_cursor: null });
  });

  it('is cancelled, resumed and retried only in the states that allow it', async () => {
    const { body } = await post({ items: two });
    const id = String(body['id']);
    const path = `/api/batches/${id}`;
    const { batches, batchRuns } = facades.deps;
    const start = vi.spyOn(batchRuns, 'start').mockClear();
    expect((await post({}, `${path}/resume`)).body).toMatchObject({ code: 'not_ready' });
    expect((await post({}, `${path}/retry`)).body).toMatchObject({ code: 'not_ready' });
    expect(await post({}, `${path}/cancel`)).toMatchObject({ status: 202, body: { status: 'cancelling' } });
    await batches.change(id, { status: 'paused', pause: 'max_cost' });
    expect((await get(path)).body).toMatchObject({ pause: { code: 'max_cost' } });
    const resume = vi.spyOn(batchRuns, 'resume');
    expect((await facades.post(`${path}/resume`, '')).status).toBe(202);
    expect((await post({ max_cost: '2.000' }, `${path}/resume`)).body).toMatchObject({ max_cost: '2.000' });
    expect(resume).toHaveBeenCalledTimes(2);
    await batches.change(id, { status: 'finished' });
    expect((await post({}, `${path}/cancel`)).body).toMatchObject({ code: 'already_finished' });
    expect((await post({}, `${path}/retry`)).body).toMatchObject({ code: 'already_finished' });
    const counts = { waiting: 0, running: 0, success: 1, failed: 1, skipped: 0, cancelled: 0 };
    await batches.change(id, { counts });
    expect((await post({}, `${path}/retry`)).status).toBe(202);
    expect(start).toHaveBeenCalledExactlyOnceWith({ batchId: id, startedBy: 'anonymous', end: 2, isRetry: true });
  });

  it('is retried when its workflow closes a moment after its end', async () => {
    const { body } = await post({ items: two });
    const id = String(body['id']);
    const { batches, batchRuns } = facades.deps;
    const counts = { waiting: 0, running: 0, success: 1, failed: 1, skipped: 0, cancelled: 0 };
    await batches.change(id, { status: 'finished', counts });
    const start = vi.spyOn(batchRuns, 'start').mockClear().mockResolvedValueOnce(false).mockResolvedValueOnce(false);
    expect((await post({}, `/api/batches/${id}/retry`)).status).toBe(202);
    expect(start).toHaveBeenCalledTimes(3);
    start.mockClear().mockImplementationOnce(async () => {
      await batches.change(id, { status: 'running' });
      return false;
    });
    expect((await post({}, `/api/batches/${id}/retry`)).status).toBe(202);
    expect(start).toHaveBeenCalledOnce();
  });

  it('looks paused after an operator has stopped its workflow, and is started again when it is resumed', async () => {
    const { body } = await post({ items: two });
    const id = String(body['id']);
    const { batches, batchRuns } = facades.deps;
    await batches.change(id, { updatedAtMs: Date.now() - 120_000 });
    expect((await get(`/api/batches/${id}`)).body).toMatchObject({ status: 'running' });
    vi.spyOn(batchRuns, 'isOpen').mockResolvedValue(false);
    vi.spyOn(batchRuns, 'resume').mockResolvedValueOnce(false);
    const start = vi.spyOn(batchRuns, 'start').mockClear();
    expect((await get(`/api/batches/${id}`)).body).toMatchObject({ pause: { code: 'stopped_by_operator' } });
    expect((await post({}, `/api/batches/${id}/resume`)).status).toBe(202);
    expect(start).toHaveBeenCalledOnce();
  });
});
