import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createIndexes } from '../../store/mongo/indexes.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';

it('creates the indexes once when several processes start at the same time while others write', async () => {
  const database = `indexes-${randomUUID().slice(0, 8)}`;
  const open = (): Mongo => {
    const mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 10_000 });
    onTestFinished(() => mongo.close());
    return mongo;
  };
  const [one, two, writer] = [open(), open(), open()];
  onTestFinished(() => writer.db.dropDatabase().then(() => undefined));
  const records = writer.db.collection<{ _id: string; status: string }>('records');
  const writes = Array.from({ length: 40 }, (_, number) =>
    records.updateOne({ _id: String(number % 10) }, { $set: { status: 'pending' } }, { upsert: true }),
  );
  await Promise.all([createIndexes(one.db), createIndexes(two.db), ...writes]);
  await createIndexes(two.db);
  const fieldsOf = async (name: string): Promise<(string | undefined)[]> =>
    (await two.db.collection(name).indexes()).map(({ key }) => Object.keys(key as object)[0]).sort();
  expect(await fieldsOf('records')).toEqual(
    ['_id', 'chargedTo', 'createdAt', 'finishedAt', 'mediaId', 'status', 'type'].sort(),
  );
  expect(await fieldsOf('deliveries')).toEqual(['_id', 'state', 'subscribedBy']);
  expect(await records.countDocuments({ status: 'pending' })).toBe(10);
});
