import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveryListSchema, deliverySchema } from '../../contract/http/delivery-schemas.ts';
import { type DeliveryAttempt, type DeliveryState, WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void facades.redeliveries.start.mockReset().mockResolvedValue(true));

const at = '2026-11-21T09:30:00.000000Z';
const failedAttempt = (number: number): DeliveryAttempt => ({
  number,
  startedAt: at,
  durationMs: 1_500,
  statusCode: 503,
});

interface Prepared {
  readonly recordId?: string;
  readonly number?: number;
  readonly url?: string;
  readonly attempts?: readonly DeliveryAttempt[];
  readonly state?: DeliveryState;
  readonly firstAttempt?: number;
  readonly subscribedBy?: readonly string[];
}

/** @returns the public ID of the delivery */
async function prepare({ recordId = ulid(), number = 1, ...rest }: Prepared = {}): Promise<string> {
  const id = `webhook/${recordId}/${number}`;
  const {
    url = 'https://hooks.example.com/h',
    attempts = [],
    state = 'pending',
    firstAttempt = 1,
    subscribedBy = [WITHOUT_KEY],
  } = rest;
  await facades.deps.deliveries.open({
    id,
    recordId,
    url,
    subscribedBy,
    endpoint: 'downloads/audio',
    createdAt: at,
  });
  for (const attempt of attempts) await facades.deps.deliveries.recordAttempt(id, attempt, { state, firstAttempt });
  return `${recordId}-${number}`;
}

async function get(query: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${facades.url}/api/webhook/deliveries?${query}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const page = async (query: string) => deliveryListSchema.parse((await get(query)).body);
const redeliver = (id: string) => facades.post(`/api/webhook/deliveries/${id}/redeliver`, '');

describe('the list of deliveries', () => {
  it('shows a delivery with its attempts and the time of the next', async () => {
    const recordId = ulid();
    const timedOut = { number: 2, startedAt: '2026-11-21T09:30:11.500000Z', durationMs: 10_000, error: 'timeout' };
    const id = await prepare({ recordId, attempts: [failedAttempt(1), timedOut] });
    expect((await get(`download_id=${recordId}`)).body).toEqual({
      deliveries: [
        {
          id,
          download_id: recordId,
          url: 'https://hooks.example.com/…',
          endpoint: 'downloads/audio',
          state: 'pending',
          created_at: at,
          attempts: [
            { number: 1, started_at: at, duration_ms: 1_500, http_status: 503 },
            { number: 2, started_at: timedOut.startedAt, duration_ms: 10_000, error: 'timeout' },
          ],
          next_attempt_at: '2026-11-21T09:30:51.500000Z',
        },
      ],
      next_cursor: null,
    });
  });

  it.each([
    ['before the first attempt', { attempts: [] }, undefined],
    ['after the last one', { attempts: [1, 2, 3, 4].map(failedAttempt), state: 'abandoned' }, undefined],
    ['in a second round', { attempts: [4, 5].map(failedAttempt), firstAttempt: 5 }, '2026-11-21T09:30:11.500000Z'],
  ] as const)('shows the next attempt %s', async (_case, prepared, expected) => {
    const recordId = ulid();
    await prepare({ recordId, ...prepared });
    expect((await page(`download_id=${recordId}`)).deliveries[0]?.next_attempt_at).toBe(expected);
  });

  it.each([
    ['https://hooks.example.com/services/T0/B0/s3cr3t', 'https://hooks.example.com/…'],
    ['https://hooks.example.com:8443/?token=s3cr3t', 'https://hooks.example.com:8443/…'],
    ['http://hooks.example.com', 'http://hooks.example.com/'],
    ['https://hooks.example.com/#s3cr3t', 'https://hooks.example.com/'],
  ])('shows of %s only the host', async (url, shown) => {
    const recordId = ulid();
    await prepare({ recordId, url });
    const answer = await get(`download_id=${recordId}`);
    expect(JSON.stringify(answer.body)).not.toContain('s3cr3t');
    expect(answer.body).toMatchObject({ deliveries: [{ url: shown }] });
  });

  it('finds all deliveries of a download by their IDs without a scan, also over gaps', async () => {
    const recordId = ulid();
    const find = vi.spyOn(facades.deps.deliveries, 'list');
    find.mockClear();
    for (const number of [1, 2, 9, 17, 30]) await prepare({ recordId, number });
    await prepare();
    const { deliveries } = await page(`download_id=${recordId}`);
    expect(deliveries.map(({ id }) => Number(id.split('-')[1])).sort((a, b) => a - b)).toEqual([1, 2, 9, 17, 30]);
    expect(find).not.toHaveBeenCalled();
  });

  it.each([true, false])('pages through each delivery once, by state (of one download: %s)', async (ofOne) => {
    const recordId = ulid();
    const expected = new Set<string>();
    for (let number = 1; number <= 12; number += 1) {
      const isWanted = number % 3 !== 0;
      const state = isWanted ? 'delivered' : 'abandoned';
      const id = await prepare({ recordId, number, state, attempts: [failedAttempt(1)] });
      if (isWanted) expected.add(id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { deliveries, next_cursor }: { deliveries: { id: string }[]; next_cursor: string | null } = await page(
        `state=delivered&limit=3${ofOne ? `&download_id=${recordId}` : ''}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...deliveries.map(({ id }) => id));
      expect(deliveries.length).toBeLessThanOrEqual(3);
      cursor = next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const ofRecord = seen.filter((id) => id.startsWith(recordId));
    expect(new Set(ofRecord)).toEqual(expected);
    if (ofOne) expect(seen).toHaveLength(expected.size);
  });

  it('is empty for a download without subscriptions', async () => {
    expect((await get(`download_id=${ulid()}`)).body).toEqual({ deliveries: [], next_cursor: null });
  });

  it.each([
    'download_id=x',
    'state=lost',
    'limit=0',
    'limit=201',
    'cursor=x',
    `cursor=${ulid()}`,
    `cursor=${ulid()}-0`,
  ])('refuses %s', async (query) =>
    expect(await get(query)).toMatchObject({ status: 400, body: { code: 'invalid_input' } }),
  );

  it('is the same over tRPC', async () => {
    const recordId = ulid();
    await prepare({ recordId, attempts: [failedAttempt(1)] });
    const { body } = await get(`download_id=${recordId}`);
    expect(await facades.rpc.webhook.deliveries.query({ download_id: recordId })).toEqual(body);
  });
});

describe('a redelivery', () => {
  it.each(['abandoned', 'delivered'] as const)('is pending, however the delivery had ended: %s', async (state) => {
    const recordId = ulid();
    const id = await prepare({ recordId, state, attempts: [1, 2, 3, 4].map(failedAttempt) });
    const answer = await redeliver(id);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(deliverySchema.parse(answer.body)).toMatchObject({ id, state: 'pending' });
    expect(facades.redeliveries.start.mock.lastCall).toEqual([
      {
        ...{ deliveryId: `webhook/${recordId}/1`, recordId, url: 'https://hooks.example.com/h', firstAttempt: 5 },
        subscribedBy: [WITHOUT_KEY],
      },
    ]);
    expect((await page(`download_id=${recordId}`)).deliveries[0]).toMatchObject({ state: 'pending' });
  });

  it('is the same over tRPC', async () => {
    const id = await prepare({ state: 'abandoned', attempts: [failedAttempt(1)] });
    expect(await facades.rpc.webhook.redeliver.mutate({ delivery_id: id })).toMatchObject({ id, state: 'pending' });
  });

  it('has the search attributes of its job and the caller', async () => {
    const record = await keepJob(facades.deps.records, anAudioJob());
    const subscribedBy = ['0123456789abcdef'];
    const id = await prepare({ recordId: record.id, state: 'abandoned', attempts: [failedAttempt(1)], subscribedBy });
    // Services see all deliveries.
    await facades.rpc.webhook.redeliver.mutate({ delivery_id: id });
    expect(facades.redeliveries.start.mock.lastCall?.[0]).toMatchObject({ record, subscribedBy });
  });

  it('is refused while a round runs', async () => {
    const recordId = ulid();
    const id = await prepare({ recordId, state: 'abandoned', attempts: [failedAttempt(1)] });
    facades.redeliveries.start.mockResolvedValue(false);
    expect(await redeliver(id)).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
    expect((await page(`download_id=${recordId}`)).deliveries[0]?.state).toBe('abandoned');
  });

  it('is refused after 100 attempts', async () => {
    const attempts = [100].map(failedAttempt);
    const id = await prepare({ state: 'abandoned', attempts });
    expect(await redeliver(id)).toMatchObject({ status: 409, body: { code: 'too_many_webhooks' } });
    expect(facades.redeliveries.start).not.toHaveBeenCalled();
  });

  it('is refused after 20 redeliveries to a host within a minute, however the host is written', async () => {
    vi.mocked(facades.deps.now).mockReturnValue(Date.parse(at) + 20_000);
    const urls = [
      'https://Flooded.example.com./a',
      'http://flooded.example.com:8080/b',
      'https://flooded.example.com/c',
    ];
    const ids = await Promise.all(
      urls.map((url) => prepare({ url, state: 'delivered', attempts: [failedAttempt(1)] })),
    );
    const other = await prepare({ url: 'https://calm.example.com/', state: 'delivered', attempts: [failedAttempt(1)] });
    const statuses: number[] = [];
    for (let n = 0; n < 24; n += 1) statuses.push((await redeliver(ids[n % 3]!)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(202), ...Array<number>(4).fill(429)]);
    expect(facades.redeliveries.start).toHaveBeenCalledTimes(20);
    const refused = await redeliver(ids[0]!);
    expect([refused.body['code'], refused.headers.get('retry-after')]).toEqual(['rate_limited', '40']);
    expect((await redeliver(other)).status).toBe(202);
    vi.mocked(facades.deps.now).mockReturnValue(Date.parse(at) + 60_000);
    expect((await redeliver(ids[0]!)).status).toBe(202);
    vi.mocked(facades.deps.now).mockImplementation(() => Date.now());
  });

  it('shows the result of a round that was faster than the answer', async () => {
    const recordId = ulid();
    const id = await prepare({ recordId, state: 'abandoned', attempts: [failedAttempt(1)] });
    facades.redeliveries.start.mockImplementation(async () => {
      await prepare({ recordId, state: 'delivered', attempts: [failedAttempt(2)], firstAttempt: 2 });
      return true;
    });
    expect((await redeliver(id)).body).toMatchObject({ state: 'delivered', attempts: [{ number: 1 }, { number: 2 }] });
  });

  it.each([`${ulid()}-1`, ulid(), 'x', `${ulid()}-0`, `webhook%2F${ulid()}%2F1`])('is not found as %s', async (id) => {
    expect(await redeliver(id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(facades.redeliveries.start).not.toHaveBeenCalled();
  });
});
