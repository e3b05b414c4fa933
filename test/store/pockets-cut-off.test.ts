import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import { createRandom } from '../../quality/chaos/random.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { dyingDatabase } from '../helpers/dying-database.ts';
import { endedRecordOf, GRANTED, idsOf, KEPT, openAccounts, PRICE, someHolds } from '../helpers/many-holds.ts';
import { isLong, rows } from '../helpers/rows.ts';

let bench: ReturnType<typeof openAccounts>;
beforeAll(() => {
  bench = openAccounts();
});
afterAll(() => bench.close());
vi.setConfig({ testTimeout: 240_000 });

/** A full account, and a pocket of which two holds are left: those, and the holds in the account. */
async function aFullAccount() {
  const [held, inPocket] = [someHolds(KEPT), someHolds(2, 3)];
  const heldAtMs = Date.now();
  const keyId = await bench.aKey();
  const [from, to] = idsOf(inPocket).map((id) => id.slice(0, 10));
  const change = {
    holds: Object.fromEntries(held.map(({ recordId, ...hold }) => [recordId, { ...hold, heldAtMs }] as const)),
    ...{ pockets: { [`0-${from!}-${to!}`]: 3 }, spills: 1, available: GRANTED - KEPT * PRICE - 2 * 3 },
  };
  await bench.accounts.updateOne({ _id: keyId }, { $set: change });
  await bench.pockets.insertOne({ _id: `${keyId}/0`, holds: inPocket.map((hold) => ({ ...hold, heldAtMs })) });
  return { keyId, held, inPocket };
}

/** What befalls a process at one of its operations. */
const strokes = rows(
  ['it dies after'],
  ['it dies before', 'another one ends the same before', 'another one fills one before'],
);

it.each(strokes)(
  'money is neither lost nor doubled whichever operation of filling and emptying pockets is met: %s',
  async (stroke) => {
    let operations = 0;
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const { keyId, held, inPocket } = await aFullAccount();
      const [[spent, back], [moved, alsoMoved], kept] = [inPocket, held, held.at(-1)!];
      const [next, another, ...more] = someHolds(6);
      const endBy = async (store: AccountStore): Promise<void> => {
        await store.captureHold(endedRecordOf(spent!, keyId, 2));
        await store.captureHold(endedRecordOf(moved!, keyId, 4));
        await store.release(keyId, back!);
        await store.captureHold(endedRecordOf(kept, keyId, 0));
      };
      operations = 0;
      const befall = async () => {
        operations += 1;
        if (operations !== at) return undefined;
        if (stroke === 'another one ends the same before') await endBy(bench.aStore(1));
        if (stroke === 'another one fills one before') await bench.aStore(1).reserve(keyId, [another!]);
        return stroke === 'it dies after' ? 'made' : stroke === 'it dies before' ? 'not made' : undefined;
      };
      const met = createAccountStore(dyingDatabase(bench.databases[0]!, befall));
      const run = async (): Promise<void> => {
        await met.reserve(keyId, [next!]);
        await endBy(met);
      };
      const hasDied = await run().then(
        () => false,
        () => true,
      );
      isOver = !hasDied && operations < at;
      const told = `operation ${String(at)}`;
      await bench.expectSums(keyId, told);
      // The job that was reserved may have begun or not; all others end again, and others begin, until the account is full.
      await endBy(bench.aStore(1));
      for (const hold of [next!, another!]) await bench.aStore(1).release(keyId, hold);
      expect(await bench.aStore().reserve(keyId, more), told).toBe(true);
      // One of the second pocket: whoever ends it finds a first one that was emptied and not removed.
      await bench.aStore().release(keyId, alsoMoved!);
      await bench.expectSums(keyId, told);
      const left = [...held.slice(2, -1), ...more];
      expect(idsOf(await bench.aStore().holds(keyId)), told).toEqual(idsOf(left));
      const available = GRANTED - 6 - PRICE * left.length;
      expect(await bench.aStore().get(keyId), told).toMatchObject({ spent: 6, available });
      await bench.expectNoEmptyPocket(keyId, told);
    }
    // All that fills a pocket, empties one, and finds a hold in one.
    expect(operations).toBeGreaterThanOrEqual(16);
  },
);

it.runIf(isLong()).each([1, 2])(
  'money adds up after processes that die anywhere, beside and after each other, with many holds (seed %i)',
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
            const wanted = someHolds(1 + Math.floor(random.next() * 6), 1 + Math.floor(random.next() * 9));
            if (await store.reserve(keyId, wanted)) open.push(...wanted);
            return;
          }
          const [hold] = open.splice(Math.floor(random.next() * open.length), 1);
          if (hold === undefined) return;
          const charge = Math.floor(random.next() * (hold.amount + 1));
          charges.set(hold.recordId, charge);
          const end = (by: AccountStore) => by.captureHold(endedRecordOf(hold, keyId, charge));
          ends.push(end);
          await end(store);
        };
        await work().catch(() => {
          store = createAccountStore(dyingDatabase(own, diesNow));
        });
      }
    };
    await Promise.all([0, 1, 2, 3].map(live));
    // What was ended ends again. Of what a process had set aside that died, no job ever began: it is given back.
    for (const [index, end] of ends.entries()) await end(bench.aStore(index));
    await bench.expectSums(keyId);
    const store = bench.aStore();
    for (const hold of await store.holds(keyId)) await store.release(keyId, hold);
    const spent = [...charges.values()].reduce((sum, charge) => sum + charge, 0);
    expect(await store.get(keyId)).toMatchObject({ spent, available: GRANTED - spent });
    const entries = await store.ledger(keyId, { limit: 1_000 });
    expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(spent);
    expect(await bench.accounts.findOne({ _id: keyId })).toMatchObject({ holds: {}, pockets: {} });
  },
);
