import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import { createRandom } from '../../quality/chaos/plan.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { dyingDatabase } from '../helpers/dying-database.ts';
import {
  endedRecordOf,
  GRANTED,
  idsOf,
  KEPT,
  openAccounts,
  PRICE,
  someReservations,
} from '../helpers/many-reservations.ts';
import { isLong, rows } from '../helpers/rows.ts';

let bench: ReturnType<typeof openAccounts>;
beforeAll(() => {
  bench = openAccounts();
});
afterAll(() => bench.close());
vi.setConfig({ testTimeout: 240_000 });

/** A full account with a chunk in which two reservations are open. */
async function aFullAccount() {
  const [held, inChunk] = [someReservations(KEPT), someReservations(2, 3)];
  const heldAtMs = Date.now();
  const keyId = await bench.aKey();
  const [from, to] = idsOf(inChunk).map((id) => id.slice(0, 10));
  const chunk = `${from!}-${to!}-0`;
  const change = {
    holds: Object.fromEntries(held.map(({ recordId, ...hold }) => [recordId, { ...hold, heldAtMs }] as const)),
    ...{ chunks: { [chunk]: 3 }, available: GRANTED - KEPT * PRICE - 2 * 3 },
  };
  await bench.accounts.updateOne({ _id: keyId }, { $set: change });
  await bench.chunks.insertOne({ _id: `${keyId}/${chunk}`, holds: inChunk.map((hold) => ({ ...hold, heldAtMs })) });
  return { keyId, held, inChunk };
}

/** What happens at one operation of a process. */
const incidents = rows(
  ['the process dies after it'],
  ['the process dies before it', 'another process ends the same jobs', 'another process fills a chunk'],
);

it.each(incidents)('credit is neither lost nor doubled when at any operation on chunks %s', async (incident) => {
  let operations = 0;
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const { keyId, held, inChunk } = await aFullAccount();
    const [[spent, back], [moved, alsoMoved], kept] = [inChunk, held, held.at(-1)!];
    const [next, another, ...more] = someReservations(6);
    const endBy = async (store: AccountStore): Promise<void> => {
      await store.capture(endedRecordOf(spent!, keyId, 2));
      await store.capture(endedRecordOf(moved!, keyId, 4));
      await store.release(keyId, back!);
      await store.capture(endedRecordOf(kept, keyId, 0));
    };
    operations = 0;
    const meet = async () => {
      operations += 1;
      if (operations !== at) return undefined;
      if (incident === 'another process ends the same jobs') await endBy(bench.aStore(1));
      if (incident === 'another process fills a chunk') await bench.aStore(1).reserve(keyId, [another!]);
      return incident === 'the process dies after it'
        ? 'made'
        : incident === 'the process dies before it'
          ? 'not made'
          : undefined;
    };
    const met = createAccountStore(dyingDatabase(bench.databases[0]!, meet));
    const run = async (): Promise<void> => {
      await met.reserve(keyId, [next!]);
      await endBy(met);
    };
    const hasDied = await run().then(
      () => false,
      () => true,
    );
    isOver = !hasDied && operations < at;
    const message = `operation ${String(at)}`;
    await bench.expectSums(keyId, message);
    // The reservation may exist or not. All others end again, and new ones fill the account.
    await endBy(bench.aStore(1));
    for (const hold of [next!, another!]) await bench.aStore(1).release(keyId, hold);
    expect(await bench.aStore().reserve(keyId, more), message).toBe(true);
    // It is in the second chunk. Ending it also removes the first chunk, which is empty.
    await bench.aStore().release(keyId, alsoMoved!);
    await bench.expectSums(keyId, message);
    const left = [...held.slice(2, -1), ...more];
    expect(idsOf(await bench.aStore().reservations(keyId)), message).toEqual(idsOf(left));
    const available = GRANTED - 6 - PRICE * left.length;
    expect(await bench.aStore().get(keyId), message).toMatchObject({ spent: 6, available });
    await bench.expectNoEmptyChunk(keyId, { message, unnamed: 1 });
  }
  // All operations that fill a chunk, empty one, and find a reservation in one.
  expect(operations).toBeGreaterThanOrEqual(14);
});

it.runIf(isLong()).each([1, 2])(
  'credit adds up after many processes die at random operations (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const keyId = await bench.aKey();
    const charges = new Map<string, number>();
    const open: CreditReservation[] = [];
    const ends: ((store: AccountStore) => Promise<void>)[] = [];
    const live = async (index: number): Promise<void> => {
      const own = bench.databases[index % 2]!;
      const diesNow = () => (random.next() < 0.02 ? (random.next() < 0.5 ? 'made' : 'not made') : undefined);
      let store = createAccountStore(dyingDatabase(own, diesNow));
      for (let step = 0; step < 30; step += 1) {
        const work = async (): Promise<void> => {
          if (open.length < 20 || random.next() < 0.55) {
            const wanted = someReservations(1 + Math.floor(random.next() * 6), 1 + Math.floor(random.next() * 9));
            if (await store.reserve(keyId, wanted)) open.push(...wanted);
            return;
          }
          const [hold] = open.splice(Math.floor(random.next() * open.length), 1);
          if (hold === undefined) return;
          const charge = Math.floor(random.next() * (hold.amount + 1));
          charges.set(hold.recordId, charge);
          const end = (by: AccountStore) => by.capture(endedRecordOf(hold, keyId, charge));
          ends.push(end);
          await end(store);
        };
        await work().catch(() => {
          store = createAccountStore(dyingDatabase(own, diesNow));
        });
      }
    };
    await Promise.all([0, 1, 2, 3].map(live));
    // All that ended ends again. Reservations of processes that died belong to no job and are released.
    for (const [index, end] of ends.entries()) await end(bench.aStore(index));
    await bench.expectSums(keyId);
    const store = bench.aStore();
    for (const hold of await store.reservations(keyId)) await store.release(keyId, hold);
    const spent = [...charges.values()].reduce((sum, charge) => sum + charge, 0);
    expect(await store.get(keyId)).toMatchObject({ spent, available: GRANTED - spent });
    const entries = await store.ledger(keyId, { limit: 1_000 });
    expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(spent);
    expect(await bench.accounts.findOne({ _id: keyId })).toMatchObject({ holds: {}, chunks: {} });
  },
);
