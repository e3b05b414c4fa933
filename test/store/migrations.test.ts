import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createDeliveryStore } from '../../store/deliveries.ts';
import { migrate, migrations, type Migration } from '../../store/migrations.ts';
import { openMongo } from '../../store/mongo.ts';
import { createRecordStore } from '../../store/records.ts';
import { startOlderDatabase } from '../helpers/older-database.ts';

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  records: ['status', 'type', 'mediaId', 'chargedTo', 'createdAt', 'finishedAt'],
  deliveries: ['subscribedBy', 'state'],
};
/** Later than all of the fixture's. */
const LATER = '7ZZZZZZZZZZZZZZZZZZZZZZZZ';

describe('the database of release 4da8403', () => {
  let older: Awaited<ReturnType<typeof startOlderDatabase>>;
  beforeAll(async () => {
    older = await startOlderDatabase();
  });
  afterAll(() => older.stop());

  it('gets its indexes from two processes at once, while the older version writes', async () => {
    const [one, two, olderVersion] = [older.open(), older.open(), older.open()].map(({ db }) => db);
    const listed = async () => ({
      records: await createRecordStore(one!).list({ limit: 200, status: 'success' }),
      deliveries: await createDeliveryStore(one!).list({ limit: 200, state: 'delivered' }),
    });
    const before = await listed();
    expect(before.records.length).toBeGreaterThan(10);
    expect(before.deliveries.length).toBeGreaterThan(10);
    // Without keys, subscribers and times of end, like the records of that version.
    const writes = Array.from({ length: 40 }, async (_, index) => {
      const _id = LATER + String(index % 10);
      const records = olderVersion!.collection<{ _id: string; status: string }>('records');
      await records.updateOne({ _id }, { $set: { status: 'pending', mediaId: 'same' } }, { upsert: true });
    });
    const applied: number[] = [];
    await Promise.all([
      ...[one!, two!].map((db) => migrate(db, ({ number }) => applied.push(number))),
      Promise.all(writes),
    ]);
    expect(new Set(applied)).toEqual(new Set(migrations.map(({ number }) => number)));
    for (const [name, fields] of Object.entries(FIELDS)) {
      const indexes = await two!.collection(name).indexes();
      expect(indexes.map(({ key }) => Object.keys(key as object)[0]).sort()).toEqual(['_id', ...fields].sort());
    }
    expect(await listed()).toEqual(before);
    expect(await createRecordStore(two!).list({ limit: 200, mediaId: 'same' })).toHaveLength(10);
    await migrate(two!, ({ number }) => expect.unreachable(`migration ${String(number)} was applied again`));
  });
});

it('a migration that fails is applied by the next process, after those before it and once', async () => {
  const mongo = openMongo({ uri: inject('mongodbUri'), database: `mig-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  onTestFinished(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  const ran: number[] = [];
  let isBroken = true;
  const all = [1, 2, 3].map((number): Migration => {
    const run = (): Promise<void> => {
      if (number === 2 && isBroken) return Promise.reject(new Error('the database went away'));
      ran.push(number);
      return Promise.resolve();
    };
    return { number, what: 'a change', run };
  });
  await expect(migrate(mongo.db, undefined, all)).rejects.toThrow('went away');
  expect(ran).toEqual([1]);
  isBroken = false;
  for (let start = 0; start < 2; start += 1) await migrate(mongo.db, undefined, all);
  expect(ran).toEqual([1, 2, 3]);
});
