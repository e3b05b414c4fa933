import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';

// MongoDB guarantees this for changes of one document by two processes. FerretDB without our patch does not.
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

describe('concurrent changes of one document', () => {
  it('apply each of 200 increments, of which the first creates the document', async () => {
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

  it('add each entry to a list once, in an order that all see', async () => {
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

  it('apply only while their condition holds', async () => {
    await counters(0).insertOne({ _id: 'left', left: 20 });
    const results = await atOnce(100, (index) =>
      counters(index).updateOne({ _id: 'left', left: { $gte: 1 } }, { $inc: { left: -1 } }),
    );
    expect(results.filter(({ matchedCount }) => matchedCount === 1)).toHaveLength(20);
    expect(await counters(0).findOne({ _id: 'left' })).toEqual({ _id: 'left', left: 0 });
  });

  it('apply once when all require the same version', async () => {
    await counters(0).insertOne({ _id: 'version', n: 1 });
    const changed = await atOnce(50, async (index) => {
      if (index % 2 === 1) return (await counters(index).deleteOne({ _id: 'version', n: 1 })).deletedCount;
      return (await counters(index).updateOne({ _id: 'version', n: 1 }, { $set: { n: 2 } })).matchedCount;
    });
    expect(changed.filter((count) => count === 1)).toHaveLength(1);
    const isRemoved = changed.indexOf(1) % 2 === 1;
    expect(await counters(0).findOne({ _id: 'version' })).toEqual(isRemoved ? null : { _id: 'version', n: 2 });
  });
});

describe('a change with a condition', () => {
  const job = { _id: 'job', state: 'pending', tries: 3, share: 0.5, isNew: true, by: { name: 'a' }, all: ['x', 'y'] };
  const jobs = () => two[0]!.db.collection<Omit<typeof job, 'by'> & { by?: { name: string } }>('jobs');
  beforeEach(async () => {
    await jobs().deleteMany({});
    await jobs().insertOne(job);
    await jobs().insertOne({ ...job, _id: 'other' });
  });

  it.each([
    ['a text', { state: 'pending' }],
    ['a number', { tries: 3 }],
    ['a fraction', { share: 0.5 }],
    ['two fields', { state: 'pending', isNew: true }],
    ['a field within', { 'by.name': 'a' }],
    ['one of an array', { all: 'y' }],
    ['an operator', { tries: { $gte: 3, $lt: 4 } }],
    ['a field that is not there', { lost: { $exists: false } }],
    ['alternatives', { $or: [{ state: 'lost' }, { tries: 3 }] }],
  ])('changes, returns and removes only the document that matches %s', async (_what, condition) => {
    const filter = { _id: 'job', ...condition };
    expect(await jobs().updateOne(filter, { $inc: { share: 0 } })).toMatchObject({ matchedCount: 1 });
    const after = { returnDocument: 'after' } as const;
    expect(await jobs().findOneAndUpdate(filter, { $set: { isNew: true } }, after)).toEqual(job);
    expect(await jobs().deleteOne(filter)).toMatchObject({ deletedCount: 1 });
    expect(await jobs().find().toArray()).toEqual([{ ...job, _id: 'other' }]);
  });

  it.each([
    ['another text', { state: 'success' }],
    ['another number', { tries: 4 }],
    ['one of two fields', { state: 'pending', isNew: false }],
    ['another field within', { 'by.name': 'b' }],
    ['none of an array', { all: 'z' }],
    ['an operator', { tries: { $gt: 3 } }],
  ])('changes, creates and removes nothing when the document does not match %s', async (_what, condition) => {
    const filter = { _id: 'job', ...condition };
    expect(await jobs().updateOne(filter, { $set: { tries: 9 } })).toMatchObject({ matchedCount: 0 });
    expect(await jobs().findOneAndUpdate(filter, { $set: { tries: 9 } })).toBeNull();
    expect(await jobs().deleteOne(filter)).toMatchObject({ deletedCount: 0 });
    expect(await jobs().find().toArray()).toEqual([job, { ...job, _id: 'other' }]);
  });

  it('creates a document with the fields of the condition when none matches', async () => {
    const filter = { _id: 'made', state: 'new' };
    const options = { upsert: true, returnDocument: 'after' } as const;
    const made = await jobs().findOneAndUpdate(filter, { $set: { tries: 1 } }, options);
    expect(made).toEqual({ _id: 'made', state: 'new', tries: 1 });
  });
});
