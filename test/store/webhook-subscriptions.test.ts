import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import {
  createWebhookSubscriptionStore,
  type SubscribeDecision,
  type WebhookSubscriptionStore,
} from '../../store/records/webhook-subscriptions.ts';

// Two processes of the api.
let two: Mongo[];
let stores: WebhookSubscriptionStore[];
beforeAll(() => {
  const database = `rcv-${randomUUID().slice(0, 8)}`;
  two = [0, 1].map(() => openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 }));
  stores = two.map(({ db }) => createWebhookSubscriptionStore(db));
});
afterAll(async () => {
  await two[0]!.db.dropDatabase();
  await Promise.all(two.map((one) => one.close()));
});

const claim = (recordId: string, caller: string, url: string, process = 0): Promise<SubscribeDecision> =>
  stores[process % 2]!.claim(recordId, { caller, url });
const countOf = (decisions: readonly SubscribeDecision[], wanted: SubscribeDecision): number =>
  decisions.filter((decision) => decision === wanted).length;
const atOnce = (count: number, work: (index: number) => Promise<SubscribeDecision>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('the webhook subscriptions of a job', () => {
  it('are limited to three per caller and host, even if 40 are claimed at once', async () => {
    const id = ulid();
    const decisions = await atOnce(40, (n) => claim(id, 'key', `https://a.example/?n=${String(n)}`, n));
    expect([countOf(decisions, 'accepted'), countOf(decisions, 'host_full')]).toEqual([3, 37]);
    expect(await claim(id, 'key', 'https://b.example/')).toBe('accepted');
    expect(await claim(id, 'another', 'https://a.example/?n=99')).toBe('accepted');
    expect(await claim(ulid(), 'key', 'https://a.example/?n=99')).toBe('accepted');
  });

  it('are limited to 100 in all, even if 160 are claimed at once', async () => {
    const id = ulid();
    const decisions = await atOnce(160, (n) => claim(id, `key ${String(n)}`, `https://${String(n)}.example/`, n));
    expect([countOf(decisions, 'accepted'), countOf(decisions, 'job_full')]).toEqual([100, 60]);
  });

  it('get the same decision when they are claimed again', async () => {
    const id = ulid();
    const url = (n: number): string => `https://a.example/${String(n)}`;
    const first = [];
    for (let n = 0; n < 5; n += 1) first.push(await claim(id, 'key', url(n)));
    expect(first).toEqual(['accepted', 'accepted', 'accepted', 'host_full', 'host_full']);
    for (let n = 0; n < 5; n += 1) expect(await claim(id, 'key', url(n), 1)).toBe(first[n]);
    const document = await two[0]!.db.collection<{ _id: string; claimed: string[] }>('receivers').findOne({ _id: id });
    expect(document?.claimed).toHaveLength(3);
  });

  it.each([
    ['https://HOOKS.example/', 'https://hooks.example/2'],
    ['https://hooks.example./', 'https://hooks.example/2'],
    ['https://hooks.example:8443/', 'http://hooks.example/2'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/2'],
    ['http://[2001:db8::1]/', 'http://[2001:0db8:0:0::1]:81/2'],
    ['http://192.0.2.1/', 'http://3221225985/2'],
  ])('count as one host for %s and %s', async (one, other) => {
    const id = ulid();
    for (const more of ['', '?a', '?b']) await claim(id, 'key', one + more);
    expect(await claim(id, 'key', other)).toBe('host_full');
  });

  it('are known to every process when the job knows them', async () => {
    const id = ulid();
    const subscription = { caller: 'key', url: 'https://a.example/first' };
    await stores[0]!.markKnown(id, subscription);
    expect(await claim(id, 'key', subscription.url, 1)).toBe('known');
    expect(await claim(id, 'another', subscription.url, 1)).toBe('accepted');
    expect(await claim(id, 'key', 'https://a.example/2')).toBe('accepted');
    expect(await claim(id, 'key', 'https://a.example/3')).toBe('accepted');
    expect(await claim(id, 'key', 'https://a.example/4')).toBe('host_full');
  });

  it('are numbered alike by all processes after the job has ended, without URLs that the job knows', async () => {
    const id = ulid();
    const late = (url: string, process: number) => stores[process % 2]!.lateNumberOf(id, url);
    await stores[0]!.markKnown(id, { caller: 'key', url: 'https://a.example/in-time' });
    expect(await late('https://a.example/in-time', 1)).toBeUndefined();
    expect(await late('https://a.example/time', 1)).toBe(1);
    const numbers = await Promise.all([...Array(12).keys()].map((n) => late(`https://b.example/${String(n % 6)}`, n)));
    expect(numbers.slice(6)).toEqual(numbers.slice(0, 6));
    expect(numbers.slice(6).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    expect(await late('https://a.example/time', 0)).toBe(1);
  });
});
