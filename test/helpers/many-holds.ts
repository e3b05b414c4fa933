import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { expect, inject } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { HeldHold, HoldsOfAccount } from '../../store/accounts/overflow-chunks.ts';

export const PRICE = 5;
export const GRANTED = 10_000;
/** What an account keeps, and what a pocket takes of it. */
export const [KEPT, POCKET] = [48, 30] as const;

/** Holds of jobs that were accepted a millisecond after each other, the oldest first. */
export function someHolds(count: number, amount = PRICE): readonly CreditReservation[] {
  const since = Date.now() - count;
  return Array.from({ length: count }, (_, index) => {
    const recordId = ulid(since + index);
    return { recordId, subjectId: `audio/${recordId}`, amount };
  });
}

/** The record of a hold when its job has ended. */
export function endedRecordOf(
  { recordId, subjectId, amount }: CreditReservation,
  chargedTo: string,
  charge = amount,
): DownloadRecord {
  return {
    ...{ id: recordId, chargedTo, type: 'audio', mediaId: 'video', subjectId, price: amount, charge },
    ...{ status: 'success', files: [], startedBy: chargedTo },
    ...{ createdAt: '2026-11-21T09:30:00.000000Z', finishedAt: '2026-11-21T09:31:00.000000Z' },
  };
}

export const idsOf = (holds: readonly Pick<CreditReservation, 'recordId'>[]) =>
  holds.map(({ recordId }) => recordId).sort();

/** A database with accounts, as two processes see it. */
export function openAccounts() {
  const database = `holds-${randomUUID().slice(0, 8)}`;
  const two = [0, 1].map(() => openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 20_000 }));
  const databases = two.map((one) => one.db);
  const [db] = databases as [(typeof databases)[0]];
  const accounts = db.collection<HoldsOfAccount & { _id: string }>('accounts');
  const pockets = db.collection<{ _id: string; holds: readonly HeldHold[] }>('pockets');
  /** A store as of a process that has just started. */
  const aStore = (index = 0): AccountStore => createAccountStore(databases[index % 2]!);
  return {
    ...{ databases, accounts, pockets, aStore },
    /** A key with an account. */
    async aKey(granted = GRANTED): Promise<string> {
      const keyId = randomUUID().replaceAll('-', '').slice(0, 16);
      await aStore().open(keyId, granted);
      return keyId;
    },
    async reserved(keyId: string, count: number): Promise<readonly CreditReservation[]> {
      const holds = someHolds(count);
      expect(await aStore().reserve(keyId, holds)).toBe(true);
      return holds;
    },
    async expectSums(keyId: string, told?: string): Promise<void> {
      const { available = NaN, spent = NaN } = (await aStore().get(keyId)) ?? {};
      const held = (await aStore().holds(keyId)).reduce((sum, { amount }) => sum + amount, 0);
      expect(available + spent + held, told).toBe(GRANTED);
      expect(available, told).toBeGreaterThanOrEqual(0);
    },
    /** No pocket is left of which nothing is held, or that the account does not name. */
    async expectNoEmptyPocket(keyId: string, told?: string): Promise<void> {
      const named = (await accounts.findOne({ _id: keyId }))?.pockets ?? {};
      expect(Object.values(named), told).not.toContain(0);
      const stored = (await pockets.find().toArray()).map(({ _id }) => _id).filter((id) => id.startsWith(keyId));
      expect(stored.sort(), told).toEqual(
        Object.keys(named)
          .map((name) => `${keyId}/${name.split('-')[0]!}`)
          .sort(),
      );
    },
    async close(): Promise<void> {
      await db.dropDatabase();
      await Promise.all(two.map((one) => one.close()));
    },
  };
}
