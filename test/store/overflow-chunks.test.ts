import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOverflowChunks } from '../../store/accounts/overflow-chunks.ts';
import {
  endedRecordOf,
  GRANTED,
  idsOf,
  KEPT,
  openAccounts,
  CHUNK,
  PRICE,
  someReservations,
} from '../helpers/many-reservations.ts';

let bench: ReturnType<typeof openAccounts>;
beforeAll(() => {
  bench = openAccounts();
});
afterAll(() => bench.close());

describe('an account with many reservations', () => {
  it('keeps the newest reservations, and moves the oldest into a chunk', async () => {
    const keyId = await bench.aKey();
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    const { holds: kept = {}, chunks = {} } = (await bench.accounts.findOne({ _id: keyId })) ?? {};
    expect(Object.keys(kept).sort()).toEqual(idsOf(holds).slice(CHUNK));
    expect(Object.values(chunks)).toEqual([2 ** CHUNK - 1]);
    expect(idsOf(await bench.aStore().reservations(keyId))).toEqual(idsOf(holds));
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: GRANTED - PRICE * holds.length, spent: 0 });
    await bench.expectSums(keyId);
  });

  it('captures each charge once and removes empty chunks', async () => {
    const keyId = await bench.aKey();
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    let spent = 0;
    for (const [index, hold] of holds.entries()) {
      const charge = index % (PRICE + 1);
      spent += charge;
      // The price of every other job was lowered after the reservation.
      const record = { ...endedRecordOf(hold, keyId, charge), price: index % 2 === 0 ? PRICE : charge };
      await Promise.all([0, 1].map((process) => bench.aStore(process).capture(record)));
    }
    await bench.expectSums(keyId);
    expect(await bench.aStore().get(keyId)).toMatchObject({ spent, available: GRANTED - spent });
    expect(await bench.accounts.findOne({ _id: keyId })).toMatchObject({ holds: {}, chunks: {} });
    await bench.expectNoEmptyChunk(keyId);
  });

  it('returns all old reservations within as many calls as it has chunks', async () => {
    const keyId = await bench.aKey();
    const holds = [
      ...(await bench.reserved(keyId, KEPT)),
      ...(await bench.reserved(keyId, KEPT)),
      ...(await bench.reserved(keyId, 1)),
    ];
    const store = bench.aStore();
    const found = new Set<string>();
    for (let call = 0; call < 3; call += 1) {
      const old = await store.oldReservations(keyId, Date.now() + 1_000);
      expect(old.length).toBeLessThanOrEqual(KEPT + 2 * CHUNK);
      for (const { recordId } of old) found.add(recordId);
    }
    expect([...found].sort()).toEqual(idsOf(holds));
    expect(await store.oldReservations(keyId, Date.now() - 60_000)).toEqual([]);
  });

  it('is not changed by a process that has read an outdated account', async () => {
    const keyId = await bench.aKey();
    const before = (await bench.accounts.findOne({ _id: keyId }))!;
    const holds = [...(await bench.reserved(keyId, KEPT)), ...(await bench.reserved(keyId, 1))];
    const kept = someReservations(KEPT + 1).map(
      ({ recordId, ...hold }) => [recordId, { ...hold, heldAtMs: 0 }] as const,
    );
    const late = { ...before, available: 0, spent: 0, holds: Object.fromEntries(kept) };
    await createOverflowChunks(bench.databases[1]!).relieve(late);
    expect(idsOf(await bench.aStore().reservations(keyId))).toEqual(idsOf(holds));
  });

  it('never reserves more credit than is available', async () => {
    const keyId = await bench.aKey(60 * PRICE);
    const results = await Promise.all(
      someReservations(90).map((hold, index) => bench.aStore(index).reserve(keyId, [hold])),
    );
    expect(results.filter((isReserved) => isReserved)).toHaveLength(60);
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: 0 });
    expect(await bench.aStore().reservations(keyId)).toHaveLength(60);
  });

  it('reserves credit once for a job whose reservation is repeated, also when no more is available', async () => {
    const keyId = await bench.aKey(PRICE);
    const holds = someReservations(1);
    for (let times = 0; times < 2; times += 1) expect(await bench.aStore(times).reserve(keyId, holds)).toBe(true);
    expect(await bench.aStore().reserve(keyId, someReservations(1))).toBe(false);
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: 0 });
    await bench.aStore().release(keyId, holds[0]!);
    expect(await bench.aStore().get(keyId)).toMatchObject({ available: PRICE });
  });

  it('moves many reservations into chunks one after the other', async () => {
    const keyId = await bench.aKey();
    const reservations = [...(await bench.reserved(keyId, 4 * KEPT))];
    for (let count = 0; count < 5; count += 1) reservations.push(...(await bench.reserved(keyId, 1)));
    const { holds = {} } = (await bench.accounts.findOne({ _id: keyId })) ?? {};
    expect(Object.keys(holds).length).toBeLessThanOrEqual(KEPT);
    expect(idsOf(await bench.aStore().reservations(keyId))).toEqual(idsOf(reservations));
    await bench.expectSums(keyId);
  });
});
