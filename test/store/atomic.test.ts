import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo.ts';

// What MongoDB promises of a change of one document, over the connections of two processes. FerretDB alone does not.
let two: Mongo[];
beforeAll(() => {
  const database = `atomic-${randomUUID().slice(0, 8)}`;
  two = [0, 1].map(() => openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 }));
});
afterAll(async () => {
  await two[0]!.db.dropDatabase();
  await Promise.all(two.map((one) => one.close()));
});

const counters = (index: number) =>
  two[index % 2]!.db.collection<{ _id: string; left?: number; n?: number; all?: string[] }>('counters');
const atOnce = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('a change of one document', () => {
  it('counts every one of 200 increments, the first of which makes the document', async () => {
    const seen = await atOnce(200, async (index) => {
      const change = { $inc: { n: 1 } };
      const counted = await counters(index).findOneAndUpdate({ _id: 'n' }, change, {
        upsert: true,
        returnDocument: 'after',
      });
      return counted?.n;
    });
    expect(new Set(seen).size).toBe(200);
    expect(Math.max(...seen.map(Number))).toBe(200);
  });

  it('keeps each of 100 entries once, in one order for all', async () => {
    const lists = await atOnce(100, async (index) => {
      const change = { $addToSet: { all: `entry ${String(index % 50)}` } };
      const options = { upsert: true, returnDocument: 'after' } as const;
      return (await counters(index).findOneAndUpdate({ _id: 'all' }, change, options))?.all ?? [];
    });
    const all = (await counters(0).findOne({ _id: 'all' }))?.all ?? [];
    expect(new Set(all).size).toBe(50);
    expect(all).toHaveLength(50);
    for (const list of lists) expect(list).toEqual(all.slice(0, list.length));
  });

  it('is made under its condition, or not at all', async () => {
    await counters(0).insertOne({ _id: 'left', left: 20 });
    const results = await atOnce(100, (index) =>
      counters(index).updateOne({ _id: 'left', left: { $gte: 1 } }, { $inc: { left: -1 } }),
    );
    expect(results.filter(({ matchedCount }) => matchedCount === 1)).toHaveLength(20);
    expect(await counters(0).findOne({ _id: 'left' })).toEqual({ _id: 'left', left: 0 });
  });
});
