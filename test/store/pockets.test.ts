import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import { createPockets } from '../../store/accounts/overflow-chunks.ts';
import { endedRecordOf, GRANTED, idsOf, KEPT, openAccounts, POCKET, PRICE, someHolds } from '../helpers/many-holds.ts';

let bench: ReturnType<typeof openAccounts>;
beforeAll(() => {
  bench = openAccounts();
});
afterAll(() => bench.close());

describe('an account with many holds', () => {
  it('keeps the newest itself, has the oldest in a pocket, and counts them all', async () => {
    const keyId = await bench.aKey();
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    const { holds: kept = {}, pockets = {} } = (await bench.accounts.findOne({ _id: keyId })) ?? {};
    expect(Object.keys(kept).sort()).toEqual(idsOf(holds).slice(POCKET));
    expect(Object.values(pockets)).toEqual([2 ** POCKET - 1]);
    expect(idsOf(await bench.aStore().holds(keyId))).toEqual(idsOf(holds));
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: GRANTED - PRICE * holds.length, spent: 0 });
    await bench.expectSums(keyId);
  });

  it('ends each once, wherever it is and whatever it costs by then, and nothing is left of its pockets', async () => {
    const keyId = await bench.aKey();
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    let spent = 0;
    for (const [index, hold] of holds.entries()) {
      const charge = index % (PRICE + 1);
      spent += charge;
      // One for whom the price was lowered meanwhile.
      const record = { ...endedRecordOf(hold, keyId, charge), price: index % 2 === 0 ? PRICE : charge };
      await Promise.all([0, 1].map((process) => bench.aStore(process).captureHold(record)));
    }
    await bench.expectSums(keyId);
    expect(await bench.aStore().get(keyId)).toMatchObject({ spent, available: GRANTED - spent });
    expect(await bench.accounts.findOne({ _id: keyId })).toMatchObject({ holds: {}, pockets: {} });
    await bench.expectNoEmptyPocket(keyId);
  });

  it('is looked at for old ones part by part, and no one is left out', async () => {
    const keyId = await bench.aKey();
    const holds = [
      ...(await bench.reserved(keyId, KEPT)),
      ...(await bench.reserved(keyId, KEPT)),
      ...(await bench.reserved(keyId, 1)),
    ];
    const store = bench.aStore();
    const found = new Set<string>();
    for (let look = 0; look < 3; look += 1) {
      const old = await store.oldHolds(keyId, Date.now() + 1_000);
      expect(old.length).toBeLessThanOrEqual(KEPT + 2 * POCKET);
      for (const { recordId } of old) found.add(recordId);
    }
    expect([...found].sort()).toEqual(idsOf(holds));
    expect(await store.oldHolds(keyId, Date.now() - 60_000)).toEqual([]);
  });

  it('changes nothing for who has read it before another one filled the pocket', async () => {
    const keyId = await bench.aKey();
    const before = (await bench.accounts.findOne({ _id: keyId }))!;
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    const kept = someHolds(KEPT + 1).map(({ recordId, ...hold }) => [recordId, { ...hold, heldAtMs: 0 }] as const);
    const late = { ...before, available: 0, spent: 0, holds: Object.fromEntries(kept) };
    await createPockets(bench.databases[1]!).relieve(late);
    expect(idsOf(await bench.aStore().holds(keyId))).toEqual(idsOf(holds));
  });

  it('never sets aside more than there is', async () => {
    const keyId = await bench.aKey(60 * PRICE);
    const results = await Promise.all(someHolds(90).map((hold, index) => bench.aStore(index).reserve(keyId, [hold])));
    expect(results.filter((isReserved) => isReserved)).toHaveLength(60);
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: 0 });
    expect(await bench.aStore().holds(keyId)).toHaveLength(60);
  });
});

describe('beside a release that keeps all holds in the account', () => {
  const older = {
    reserve: async (keyId: string, { recordId, ...hold }: CreditReservation): Promise<boolean> => {
      const change = { $inc: { available: -hold.amount }, $set: { [`holds.${recordId}`]: { ...hold, heldAtMs: 0 } } };
      const filter = { _id: keyId, available: { $gte: hold.amount } };
      return (await bench.accounts.updateOne(filter, change)).matchedCount === 1;
    },
    /** @returns whether it found the hold; otherwise it takes it for one that has ended */
    end: async (keyId: string, { recordId, amount }: CreditReservation, charge: number): Promise<boolean> => {
      const money = { $inc: { available: amount - charge, spent: charge } };
      const change = { ...money, $unset: { [`holds.${recordId}`]: '' } };
      const filter = { _id: keyId, [`holds.${recordId}.amount`]: amount };
      return (await bench.accounts.updateOne(filter, change as object)).matchedCount === 1;
    },
  };

  it('money adds up, and what the older one leaves in a pocket is found by a look and ends once', async () => {
    const keyId = await bench.aKey();
    const holds = someHolds(130);
    const results = await Promise.all(
      holds.map((hold, index) =>
        index % 2 === 0 ? older.reserve(keyId, hold) : bench.aStore(index).reserve(keyId, [hold]),
      ),
    );
    expect(results).not.toContain(false);
    await bench.expectSums(keyId);
    const left: CreditReservation[] = [];
    for (const hold of holds) if (!(await older.end(keyId, hold, 1))) left.push(hold);
    await bench.expectSums(keyId);
    expect(idsOf(await bench.aStore().holds(keyId))).toEqual(idsOf(left));
    // Of a pocket, what the other release has put into the account meanwhile stays there.
    expect(left).not.toEqual([]);
    const store = bench.aStore();
    for (let look = 0; look < holds.length / POCKET; look += 1) {
      for (const { recordId } of await store.oldHolds(keyId, Date.now() + 1_000)) {
        const record = endedRecordOf(
          holds.find((hold) => hold.recordId === recordId)!,
          keyId,
          1,
        );
        await Promise.all([0, 1].map((process) => bench.aStore(process).captureHold(record)));
      }
    }
    const spent = holds.length;
    expect(await store.get(keyId)).toMatchObject({ spent, available: GRANTED - spent });
    expect(await bench.accounts.findOne({ _id: keyId })).toMatchObject({ holds: {}, pockets: {} });
  });

  it('the many holds that it left move into pockets one after the other', async () => {
    const keyId = await bench.aKey();
    const holds = someHolds(4 * KEPT);
    for (const hold of holds) await older.reserve(keyId, hold);
    const more: CreditReservation[] = [];
    for (let times = 0; times < 6; times += 1) more.push(...(await bench.reserved(keyId, 1)));
    const { holds: kept = {} } = (await bench.accounts.findOne({ _id: keyId })) ?? {};
    expect(Object.keys(kept).length).toBeLessThanOrEqual(KEPT);
    expect(idsOf(await bench.aStore().holds(keyId))).toEqual(idsOf([...holds, ...more]));
    await bench.expectSums(keyId);
  });
});
