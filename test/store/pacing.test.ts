import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { NOBODY, pacingIdOf } from '../../runtime/shares.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { createPacingStore } from '../../store/pacing.ts';
import { Pacer } from '../../worker/pacing/pacer.ts';

let mongo: Mongo;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `pace-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

it('of those who change what is shared at once, one succeeds, and the others learn it', async () => {
  const store = createPacingStore(mongo.db);
  expect(await store.read('q')).toBeUndefined();
  for (const version of [0, 1, 2]) {
    const states = ['a', 'b', 'c'].map((id) => ({
      ...NOBODY,
      members: [{ id, beat: version, places: { 'site/x.y': 1 } }],
    }));
    const wins = await Promise.all(states.map((state) => store.replace('q', version, state)));
    expect(wins.filter(Boolean)).toHaveLength(1);
    expect(await store.read('q')).toEqual({ version: version + 1, state: states[wins.indexOf(true)] });
  }
});

it('is removed only as it is known', async () => {
  const store = createPacingStore(mongo.db);
  expect(await store.replace('gone', 0, NOBODY)).toBe(true);
  expect(await store.replace('gone', 1, NOBODY)).toBe(true);
  expect(await store.ids()).toContain('gone');
  expect(await store.remove('gone', 1)).toBe(false);
  expect(await store.remove('gone', 2)).toBe(true);
  expect(await store.remove('gone', 2)).toBe(false);
  expect(await store.read('gone')).toBeUndefined();
  expect(await store.ids()).not.toContain('gone');
});

it('workers over one database have never more places than there are, and all have some', async () => {
  const store = createPacingStore(mongo.db);
  const limits = { page: { maxAtOnce: 4, startsPerMinute: 60_000, firstPauseSeconds: 15, maxPauseSeconds: 900 } };
  const end = new AbortController();
  const isOver = (): boolean => end.signal.aborted;
  let [atOnce, most] = [0, 0];
  const work = async (shared: string): Promise<number> => {
    const onError = (error: unknown): never => {
      throw error;
    };
    const pacer = new Pacer({ store, id: pacingIdOf(shared), limits, caps: {}, onError });
    await pacer.start();
    const budget = pacer.budget('page');
    let done = 0;
    const place = async (): Promise<void> => {
      while (!isOver()) {
        await budget.reserve(end.signal).catch(() => undefined);
        if (isOver()) return;
        budget.markUsed();
        const use = budget.enter();
        most = Math.max(most, (atOnce += 1));
        await delay(20);
        atOnce -= 1;
        if ('end' in use) await use.end({ kind: 'answered' });
        budget.release(true);
        done += 1;
      }
    };
    await Promise.all([place(), place(), place(), place()]);
    await pacer.stop();
    return done;
  };
  setTimeout(() => end.abort(), 5_000);
  const done = await Promise.all([work('shared'), work('shared'), work('shared')]);
  expect(most).toBeLessThanOrEqual(4);
  expect(Math.min(...done)).toBeGreaterThan(0);
  expect((await store.read('shared'))?.state.members ?? []).toEqual([]);
});
