import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { until } from '../helpers/until.ts';

let mongo: Mongo;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `find-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** An index: FerretDB's plan is SQLite's; MongoDB calls its plan IDHACK, from version 8 on EXPRESS. */
const BY_INDEX = /SEARCH \S+ USING INDEX|IDHACK|EXPRESS/;

it('the database finds a document by its _id without a scan, soon after its collection was created', async () => {
  for (const name of ['records', 'contents']) {
    const documents = mongo.db.collection<{ _id: string; number: number }>(name);
    await documents.insertMany(Array.from({ length: 50 }, (_, number) => ({ _id: `id/${String(number)}`, number })));
    await until(
      async () => {
        // SQLite explains with the indexes that a connection knows; only a query makes it read new ones.
        expect(await documents.findOne({ _id: 'id/7' })).toEqual({ _id: 'id/7', number: 7 });
        return BY_INDEX.test(JSON.stringify((await documents.find({ _id: 'id/7' }).explain())['queryPlanner']));
      },
      { what: `an index of ${name}` },
    );
    await expect(documents.insertOne({ _id: 'id/7', number: 0 })).rejects.toMatchObject({ code: 11_000 });
    await documents.updateOne({ _id: 'id/7' }, { $set: { number: 70 } });
    await documents.deleteOne({ _id: 'id/8' });
    expect(await documents.findOne({ _id: 'id/7' })).toEqual({ _id: 'id/7', number: 70 });
    expect(await documents.findOne({ _id: 'id/8' })).toBeNull();
    expect(await documents.countDocuments({})).toBe(49);
  }
});
