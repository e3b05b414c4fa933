import { randomUUID } from 'node:crypto';
import { BSON, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { endedRecordOf, someReservations } from '../helpers/many-reservations.ts';

const MANY = 5_000;
/** The measured jobs are as many as fill and empty two chunks. */
const JOBS = 60;

const database = `chunks-${randomUUID().slice(0, 8)}`;
let client: MongoClient;
let seen: { name: string; bytes: number }[] = [];
beforeAll(async () => {
  client = new MongoClient(inject('mongodbUri'), { monitorCommands: true, ignoreUndefined: true });
  const requestBytes = new Map<number, number>();
  client.on('commandStarted', ({ requestId, command }) => {
    requestBytes.set(requestId, BSON.calculateObjectSize(command));
  });
  client.on('commandSucceeded', ({ requestId, commandName: name, reply }) => {
    seen.push({ name, bytes: (requestBytes.get(requestId) ?? 0) + BSON.calculateObjectSize(reply as BSON.Document) });
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
/** The stores of an api that accepts jobs, and of a worker that ends them. */
const processes = () => [createAccountStore(client.db(database)), createAccountStore(client.db(database))] as const;

describe('an account with few jobs under way', () => {
  it('takes one operation to reserve, and one beside the ledger to capture', async () => {
    const [api, worker] = processes();
    await api.open('few', 100_000);
    await api.get('few');
    const [first, second] = someReservations(2);
    expect((await costOf(() => api.reserve('few', [first!]))).names).toEqual(['findAndModify']);
    expect((await costOf(() => api.reserve('few', [second!]))).names).toEqual(['findAndModify']);
    expect((await costOf(() => worker.capture(endedRecordOf(first!, 'few')))).names).toEqual([
      ...['findAndModify', 'update'],
    ]);
    expect((await costOf(() => api.release('few', second!))).names).toEqual(['update']);
    expect(await api.get('few')).toMatchObject({ available: 99_995, spent: 5 });
  });
});

describe(`an account with ${String(MANY)} jobs under way`, () => {
  const open: CreditReservation[] = [];
  const sizes: number[] = [];
  /** @param pick chooses the job that ends @returns the cost of reserving for one job and capturing the charge of another */
  async function costOfJobs(
    keyId: string,
    held: CreditReservation[],
    pick: (held: readonly CreditReservation[]) => number,
  ) {
    const [api, worker] = processes();
    await api.get(keyId);
    const cost = await costOf(async () => {
      for (let job = 0; job < JOBS; job += 1) {
        const [next] = someReservations(1);
        expect(await api.reserve(keyId, [next!])).toBe(true);
        held.push(next!);
        const [ended] = held.splice(pick(held), 1);
        await worker.capture(endedRecordOf(ended!, keyId));
      }
    });
    const documents = await client.db(database).collection<{ _id: string }>('accounts').find({ _id: keyId }).toArray();
    sizes.push(...documents.map((document) => BSON.calculateObjectSize(document)));
    return { operations: cost.operations / JOBS, bytes: cost.bytes / JOBS };
  }
  beforeAll(async () => {
    const [api] = processes();
    await api.open('many', 1_000_000);
    const holds = someReservations(MANY);
    for (let from = 0; from < MANY; from += 25) {
      expect(await api.reserve('many', holds.slice(from, from + 25))).toBe(true);
    }
    open.push(...holds);
    expect(await api.get('many')).toMatchObject({ available: 1_000_000 - 5 * MANY });
  }, 300_000);

  it.each<[string, (held: readonly CreditReservation[]) => number, number]>([
    ['the newest job', (held) => held.length - 1, 3],
    ['the oldest job', () => 0, 3.3],
    // The limit includes 3 operations for the first read of each chunk, and 2 for removing one.
    ['any of the 60 oldest', () => Math.floor(Math.random() * 60), 3.8],
  ])('begins one job and ends %s at about the cost of an account with few', async (_which, pick, operations) => {
    const cost = await costOfJobs('many', open, pick);
    const few = someReservations(5);
    const keyId = randomUUID().slice(0, 16);
    await processes()[0].open(keyId, 100_000);
    await processes()[0].reserve(keyId, few);
    const usual = await costOfJobs(keyId, [...few], () => 0);
    expect(usual.operations).toBe(3);
    expect(cost.operations).toBeLessThanOrEqual(operations);
    expect(cost.bytes).toBeLessThan(32_000);
    // The 48 reservations that fit into an account have 6,000 bytes.
    expect(Math.max(...sizes)).toBeLessThan(12_000);
  });

  it('reads its balance without the reservations, and old reservations one chunk at a time', async () => {
    const [api] = processes();
    const balance = await costOf(() => api.get('many'));
    expect(balance).toMatchObject({ operations: 1 });
    expect(balance.bytes).toBeLessThan(1_000);
    const look = await costOf(() => api.oldReservations('many', Date.now() + 1_000));
    expect(look).toMatchObject({ operations: 2 });
    expect(look.bytes).toBeLessThan(24_000);
    expect((await api.reservations('many')).map(({ recordId }) => recordId).sort()).toEqual(
      open.map(({ recordId }) => recordId).sort(),
    );
  });
});
