import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DownloadRecord } from '../../contract/records.ts';
import { createAccountStore } from '../../store/accounts.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { until } from '../helpers/until.ts';

let mongo: Mongo;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `holds-${randomUUID().slice(0, 8)}`, timeoutMs: 10_000 });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const PRICE = 5;
const COST = 3;
const holdOf = (recordId: string) => ({ recordId, subjectId: `audio/${recordId}`, amount: PRICE });
const endedOf = (id: string, chargedTo: string): DownloadRecord => ({
  ...{ id, chargedTo, type: 'audio', mediaId: 'video', subjectId: `audio/${id}`, price: PRICE, charge: COST },
  ...{
    status: 'success',
    files: [],
    createdAt: '2026-11-21T09:30:00.000000Z',
    finishedAt: '2026-11-21T09:31:00.000000Z',
  },
});
const sizeOf = async (keyId: string): Promise<number> =>
  JSON.stringify(await mongo.db.collection<{ _id: string }>('accounts').findOne({ _id: keyId })).length;

/** A database whose process dies at its n-th change: that one is made or not, and none after it. */
function dyingAt(db: Db, change: number, isMade: boolean): Db {
  let changes = 0;
  const dead = (): Promise<never> => Promise.reject(new Error('dead'));
  const CHANGES = new Set(['updateOne', 'deleteOne', 'insertOne', 'findOneAndUpdate']);
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== 'collection') return Reflect.get(target, name) as unknown;
      return (collectionName: string) =>
        new Proxy(target.collection(collectionName), {
          get: (collection, method) => {
            const value = Reflect.get(collection, method) as unknown;
            if (typeof value !== 'function') return value;
            const call = (...args: unknown[]): unknown => Reflect.apply(value, collection, args) as unknown;
            if (!CHANGES.has(String(method))) return changes >= change ? dead : call;
            return async (...args: unknown[]): Promise<unknown> => {
              changes += 1;
              if (changes > change) return dead();
              if (changes === change) {
                if (isMade) await call(...args);
                return dead();
              }
              return call(...args);
            };
          },
        });
    },
  });
}

describe('the holds of an account', () => {
  it('do not grow its document, however many jobs are under way', async () => {
    const accounts = createAccountStore(mongo.db);
    await accounts.open('many', 40 * PRICE);
    const sizes: number[] = [];
    const count = 40;
    for (let round = 0; round < count / 10; round += 1) {
      const ids = Array.from({ length: 10 }, () => ulid());
      for (const id of ids) expect(await accounts.reserve('many', [holdOf(id)])).toBe(true);
      sizes.push(
        await until(async () => ((await sizeOf('many')) < 400 ? sizeOf('many') : false), { what: 'a small account' }),
      );
    }
    expect(Math.max(...sizes)).toBeLessThan(400);
    expect(await accounts.allHolds('many')).toHaveLength(count);
    expect(await accounts.get('many')).toMatchObject({ available: 0 });
  });

  it.each([true, false])(
    'lose and double nothing wherever a process dies (its last change made: %s)',
    async (isMade) => {
      for (let change = 1; change <= 10; change += 1) {
        const [keyId, recordId] = [randomUUID().slice(0, 16), ulid()];
        const accounts = createAccountStore(mongo.db);
        await accounts.open(keyId, 100);
        const dying = createAccountStore(dyingAt(mongo.db, change, isMade));
        const isHeld = await dying.reserve(keyId, [holdOf(recordId)]).catch(() => undefined);
        await dying.captureHold(endedOf(recordId, keyId)).catch(() => undefined);
        const { available = 0, spent = 0 } = (await accounts.get(keyId)) ?? {};
        const held = (await accounts.allHolds(keyId)).reduce((sum, { amount }) => sum + amount, 0);
        expect(available + spent + held, `cut off at change ${String(change)}`).toBe(100);
        // As a check finds them later, and a repeated step of the job.
        const old = await accounts.oldHolds(keyId, { heldBeforeMs: Date.now() + 1000, after: '', limit: 10 });
        expect(old).toHaveLength(held === 0 ? old.length : 1);
        const wasTaken = held > 0 || spent > 0;
        await Promise.all([1, 2, 3].map(() => accounts.captureHold(endedOf(recordId, keyId))));
        expect(await accounts.get(keyId)).toMatchObject(
          wasTaken ? { available: 100 - COST, spent: COST } : { available: 100, spent: 0 },
        );
        if (isHeld === true) expect(wasTaken).toBe(true);
        await accounts.oldHolds(keyId, { heldBeforeMs: Date.now() + 1000, after: '', limit: 10 });
        expect(await accounts.allHolds(keyId)).toEqual([]);
        const account = await mongo.db.collection('accounts').findOne({ _id: keyId as never });
        expect({ ...account, closing: {}, opening: {} }).toEqual({ closing: {}, opening: {}, ...account });
      }
    },
  );

  it('of versions that kept them in the account are spent and given back as before', async () => {
    const accounts = createAccountStore(mongo.db);
    await accounts.open('older', 100);
    const [spent, back] = [ulid(), ulid()];
    const stored = { subjectId: 'audio/video', amount: PRICE, heldAtMs: Date.now() };
    const older = mongo.db.collection<{ _id: string }>('accounts');
    for (const id of [spent, back]) {
      await older.updateOne({ _id: 'older' }, { $inc: { available: -PRICE }, $set: { [`holds.${id}`]: stored } });
    }
    expect(await accounts.oldHolds('older', { heldBeforeMs: Date.now() + 1000, after: '', limit: 10 })).toHaveLength(2);
    await Promise.all(
      [1, 2].flatMap(() => [accounts.captureHold(endedOf(spent, 'older')), accounts.release('older', holdOf(back))]),
    );
    expect(await accounts.get('older')).toMatchObject({ available: 100 - COST, spent: COST });
    expect(await accounts.allHolds('older')).toEqual([]);
  });

  it('of one job end once, whoever ends it at the same time', async () => {
    const all = [createAccountStore(mongo.db), createAccountStore(mongo.db)];
    await all[0]!.open('raced', 1_000);
    const ids = Array.from({ length: 12 }, () => ulid());
    await Promise.all(
      ids.map(async (id, index) => {
        expect(await all[index % 2]!.reserve('raced', [holdOf(id)])).toBe(true);
        // Some before the hold has left the account, some after.
        await Promise.all(all.flatMap((one) => [one, one]).map((one) => one.captureHold(endedOf(id, 'raced'))));
      }),
    );
    expect(await all[1]!.get('raced')).toMatchObject({ available: 1_000 - 12 * COST, spent: 12 * COST });
    expect(await all[1]!.allHolds('raced')).toEqual([]);
  });
});
