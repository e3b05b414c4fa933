import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { MongoServerSelectionError } from 'mongodb';
import { afterEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { until } from '../helpers/until.ts';

afterEach(() => vi.restoreAllMocks());

async function behindALine(timeoutMs: number): Promise<{ line: FaultProxy; mongo: Mongo }> {
  const line = await FaultProxy.start(mongodbServer(inject('mongodbUri')));
  const uri = `mongodb://${line.address}/`;
  const mongo = openMongo({ uri, database: `mongo-${randomUUID().slice(0, 8)}`, timeoutMs });
  onTestFinished(async () => {
    await mongo.close();
    await line.stop();
  });
  return { line, mongo };
}

const answers = (mongo: Mongo): Promise<true> =>
  until(
    async () => {
      await mongo.ping();
      return true;
    },
    { what: 'a response of the database', within: 30_000 },
  );

it('the client connects to a database that starts late, after its first requests have failed', async () => {
  const { line, mongo } = await behindALine(500);
  line.spoil('down');
  for (let tries = 0; tries < 3; tries += 1) await expect(mongo.ping()).rejects.toThrow();
  line.mend();
  expect(await answers(mongo)).toBe(true);
});

it('the client reconnects after the driver has stopped monitoring the server', async () => {
  const { line, mongo } = await behindALine(500);
  await mongo.ping();
  const things = mongo.db.collection<{ _id: string }>('things');
  await things.insertOne({ _id: 'before' });

  line.spoil('down');
  await until(async () => things.findOne({}).then(() => false, isNoServer), { what: 'no server', within: 20_000 });
  // The driver writes its next heartbeat at the moment at which the connection ends.
  const port = Number(line.address.split(':')[1]);
  const write = Reflect.get(Socket.prototype, 'write') as (...args: unknown[]) => boolean;
  let wasHit = false;
  const spy = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...args: unknown[]) {
    if (!wasHit && this.remotePort === port) {
      wasHit = true;
      this.destroy();
    }
    return Reflect.apply(write, this, args);
  });
  line.mend();
  await until(() => wasHit, { what: 'a heartbeat', within: 20_000 });
  spy.mockRestore();

  const found = until(() => things.findOne({}).catch(() => undefined), { what: 'the document', within: 60_000 });
  expect(await found).toEqual({ _id: 'before' });
});

const isNoServer = (error: unknown): boolean => error instanceof MongoServerSelectionError;
