import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openedByOperator } from '../../pacing/breaker.ts';
import { createBreakerStore } from '../../pacing/breaker-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';

let mongo: Mongo;
beforeAll(() => {
  const database = `breakers-${randomUUID().slice(0, 8)}`;
  mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const pause = (reason: string, nowMs = Date.now()) => openedByOperator(reason, { spanMs: 60_000, nowMs });

it('replaces a circuit breaker only for a writer that has its newest version', async () => {
  const store = createBreakerStore(mongo.db, 'q');
  expect(await store.read('site/a.b')).toBeUndefined();
  const writes = await Promise.all(['one', 'two'].map((one) => store.replace('site/a.b', undefined, pause(one))));
  const [first] = writes.filter((write) => write !== undefined);
  expect(writes.filter((write) => write !== undefined)).toHaveLength(1);
  expect(await store.read('site/a.b')).toEqual(first);
  const second = await store.replace('site/a.b', first?.version, pause('three'));
  expect(second).toBeDefined();
  expect(await store.replace('site/a.b', first?.version, pause('four'))).toBeUndefined();
  expect(await store.read('site/a.b')).toEqual(second);
  expect(await createBreakerStore(mongo.db, 'other').read('site/a.b')).toBeUndefined();
});

it('counts the starts of a day by all workers, and removes the counts an hour after its end', async () => {
  const [one, two] = [createBreakerStore(mongo.db, 'q'), createBreakerStore(mongo.db, 'q')];
  const nowMs = Date.now();
  const counts = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? one : two).countStart('r', nowMs)));
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(await one.countStart('other', nowMs)).toBe(1);
  expect(await createBreakerStore(mongo.db, 'other').countStart('r', nowMs)).toBe(1);
  const earlierMs = nowMs - 2 * 86_400_000;
  await one.countStart('r', earlierMs);
  await one.replace('r', undefined, pause(''));
  expect([await two.countStart('r', earlierMs), await two.countStart('r', nowMs)]).toEqual([1, 41]);
});

it('removes circuit breakers an hour after their end', async () => {
  const store = createBreakerStore(mongo.db, 'q');
  await store.replace('old', undefined, pause('', Date.now() - 2 * 3_600_000));
  await store.replace('new', undefined, pause(''));
  expect([await store.read('old'), (await store.read('new'))?.state]).toEqual([undefined, 'open']);
});
