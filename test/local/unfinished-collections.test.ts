import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startMongodb, ensureMongodbServer } from '../../local/engines/mongodb-server.ts';
import { mongodbAddress } from '../../local/engines/ports.ts';

const log = (): void => undefined;
const stateDir = await mkdtemp(join(tmpdir(), 'tapedeck-unfinished-'));
// Its presence makes this the folder of a FerretDB.
await mkdir(join(stateDir, 'ferretdb'));
await writeFile(join(stateDir, 'ferretdb', 'mark'), '');
const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
const found = await ensureMongodbServer(setup, stateDir).catch(() => undefined);

it.skipIf(found === undefined)(
  'the embedded database, killed while it made a collection, makes it anew at its next start',
  async () => {
    onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
    const address = await mongodbAddress({}, stateDir);
    const run = async (work: (client: MongoClient) => Promise<void>): Promise<void> => {
      const daemon = await startMongodb({ server: found!.value, env: process.env, stateDir, address, log });
      const client = new MongoClient(address.uri, { serverSelectionTimeoutMS: 5_000 });
      try {
        await work(client);
      } finally {
        await client.close();
        await daemon.stop(5_000);
      }
    };
    const names = ['whole', 'without_entry', 'without_index'];
    await run(async (client) => {
      for (const name of names) await client.db('killed').createCollection(name);
      await client.db('killed').collection<{ _id: string }>('whole').insertOne({ _id: 'kept' });
    });

    const file = new DatabaseSync(join(stateDir, 'ferretdb', 'killed.sqlite'));
    const entries = file.prepare('SELECT name, table_name FROM _ferretdb_collections').all();
    const tableOf = (name: string): string => String(entries.find((entry) => entry['name'] === name)?.['table_name']);
    file.exec(`DELETE FROM _ferretdb_collections WHERE name = 'without_entry'`);
    file.exec(`DROP INDEX "${tableOf('without_entry')}__id_"; DROP INDEX "${tableOf('without_index')}__id_"`);
    file.close();

    await run(async (client) => {
      const db = client.db('killed');
      expect(await db.collection<{ _id: string }>('whole').findOne({ _id: 'kept' })).not.toBeNull();
      for (const name of names.slice(1)) {
        const collection = db.collection<{ _id: string }>(name);
        await collection.insertOne({ _id: 'once' });
        await expect(collection.insertOne({ _id: 'once' })).rejects.toMatchObject({ code: 11_000 });
      }
    });
  },
);
