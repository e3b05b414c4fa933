import { randomUUID } from 'node:crypto';
import { BSON, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { endedRecordOf, someHolds } from '../helpers/many-holds.ts';

const MANY = 5_000;
/** Jobs that are looked at: as many as fill and empty two pockets. */
const JOBS = 60;

const database = `pockets-${randomUUID().slice(0, 8)}`;
let client: MongoClient;
let seen: { name: string; bytes: number }[] = [];
beforeAll(async () => {
  client = new MongoClient(inject('mongodbUri'), { monitorCommands: true, ignoreUndefined: true });
  const asked = new Map<number, number>();
  client.on('commandStarted', ({ requestId, command }) => {
    asked.set(requestId, BSON.calculateObjectSize(command));
  });
  client.on('commandSucceeded', ({ requestId, commandName: name, reply }) => {
    seen.push({ name, bytes: (asked.get(requestId) ?? 0) + BSON.calculateObjectSize(reply as BSON.Document) });
  });
  await client.connect();
});
afterAll(async () => {
  await client.db(database).dropDatabase();
  await client.close();
});

async function costOf(work: () => Promise<unknown>) {
  seen = [];
  await work();
  return {
    operations: seen.length,
    bytes: seen.reduce((sum, { bytes }) => sum + bytes, 0),
    names: seen.map(({ name }) => name),
  };
}
/** Stores as of an api that takes the jobs, and of a worker that ends them. */
const processes = () => [createAccountStore(client.db(database)), createAccountStore(client.db(database))] as const;

describe('an account with few jobs under way', () => {
  it('is changed by one operation when a job begins, and one beside the ledger when it ends', async () => {
    const [api, worker] = processes();
    await api.open('few', 100_000);
    await api.get('few');
    const [first, second] = someHolds(2);
    expect((await costOf(() => api.reserve('few', [first!]))).names).toEqual(['findAndModify']);
    expect((await costOf(() => api.reserve('few', [second!]))).names).toEqual(['findAndModify']);
    expect((await costOf(() => worker.captureHold(endedRecordOf(first!, 'few')))).names).toEqual([
      ...['findAndModify', 'update'],
    ]);
    expect((await costOf(() => api.release('few', second!))).names).toEqual(['update']);
    expect(await api.get('few')).toMatchObject({ available: 99_995, spent: 5 });
  });
});

describe(`an account with ${String(MANY)} jobs under way`, () => {
  const open: CreditReservation[] = [];
  const sizes: number[] = [];
  /** What it costs to begin a job and to end one, with so many under way. @param pick the one that ends */
  async function costOfJobs(
    keyId: string,
    held: CreditReservation[],
    pick: (held: readonly CreditReservation[]) => number,
  ) {
    const [api, worker] = processes();
    await api.get(keyId);
    const cost = await costOf(async () => {
      for (let job = 0; job < JOBS; job += 1) {
        const [next] = someHolds(1);
        expect(await api.reserve(keyId, [next!])).toBe(true);
        held.push(next!);
        const [ended] = held.splice(pick(held), 1);
        await worker.captureHold(endedRecordOf(ended!, keyId));
      }
    });
    const documents = await client.db(database).collection<{ _id: string }>('accounts').find({ _id: keyId }).toArray();
    sizes.push(...documents.map((document) => BSON.calculateObjectSize(document)));
    return { operations: cost.operations / JOBS, bytes: cost.bytes / JOBS };
  }
  beforeAll(async () => {
    const [api] = processes();
    await api.open('many', 1_000_000);
    const holds = someHolds(MANY);
    for (let from = 0; from < MANY; from += 25) {
      expect(await api.reserve('many', holds.slice(from, from + 25))).toBe(true);
    }
    open.push(...holds);
    expect(await api.get('many')).toMatchObject({ available: 1_000_000 - 5 * MANY });
  }, 300_000);

  it.each<[string, (held: readonly CreditReservation[]) => number, number]>([
    ['the newest job', (held) => held.length - 1, 3],
    ['the oldest job', () => 0, 3.3],
    // As many as the pockets have in which they are, and a few more: 3 operations for each that is met, 2 for one that is emptied.
    ['any of the 60 oldest', () => Math.floor(Math.random() * 60), 3.8],
  ])('begins one and ends %s as if there were few', async (_which, pick, operations) => {
    const cost = await costOfJobs('many', open, pick);
    const few = someHolds(5);
    const keyId = randomUUID().slice(0, 16);
    await processes()[0].open(keyId, 100_000);
    await processes()[0].reserve(keyId, few);
    const usual = await costOfJobs(keyId, [...few], () => 0);
    expect(usual.operations).toBe(3);
    expect(cost.operations).toBeLessThanOrEqual(operations);
    expect(cost.bytes).toBeLessThan(32_000);
    // The 48 holds that fit into an account have 6,000 bytes alone.
    expect(Math.max(...sizes)).toBeLessThan(12_000);
  });

  it('tells its balance without its holds, and a look at old ones costs a little at a time', async () => {
    const [api] = processes();
    const balance = await costOf(() => api.get('many'));
    expect(balance).toMatchObject({ operations: 1 });
    expect(balance.bytes).toBeLessThan(1_000);
    const look = await costOf(() => api.oldHolds('many', Date.now() + 1_000));
    expect(look).toMatchObject({ operations: 2 });
    expect(look.bytes).toBeLessThan(24_000);
    expect((await api.holds('many')).map(({ recordId }) => recordId).sort()).toEqual(
      open.map(({ recordId }) => recordId).sort(),
    );
  });
});
