import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { expect, inject } from 'vitest';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { createAccountStore, type AccountStore } from '../../store/accounts/account-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { HeldReservation, ReservationsOfAccount } from '../../store/accounts/overflow-chunks.ts';

export const PRICE = 5;
export const GRANTED = 10_000;
/** How many reservations an account keeps, and how many of them move into a chunk. */
export const [KEPT, CHUNK] = [48, 30] as const;

/** Reservations of jobs that were accepted a millisecond apart, the oldest first. */
export function someReservations(count: number, amount = PRICE): readonly CreditReservation[] {
  const since = Date.now() - count;
  return Array.from({ length: count }, (_, index) => {
    const recordId = ulid(since + index);
    return { recordId, subjectId: `audio/${recordId}`, amount };
  });
}

/** The record of a reservation whose job has ended. */
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
  const accounts = db.collection<ReservationsOfAccount & { _id: string }>('accounts');
  const chunks = db.collection<{ _id: string; holds: readonly HeldReservation[] }>('overflow_chunks');
  /** A store as of a process that has just started. */
  const aStore = (index = 0): AccountStore => createAccountStore(databases[index % 2]!);
  return {
    ...{ databases, accounts, chunks, aStore },
    /** A key with an account. */
    async aKey(granted = GRANTED): Promise<string> {
      const keyId = randomUUID().replaceAll('-', '').slice(0, 16);
      await aStore().open(keyId, granted);
      return keyId;
    },
    async reserved(keyId: string, count: number): Promise<readonly CreditReservation[]> {
      const holds = someReservations(count);
      expect(await aStore().reserve(keyId, holds)).toBe(true);
      return holds;
    },
    async expectSums(keyId: string, message?: string): Promise<void> {
      const { available = NaN, spent = NaN } = (await aStore().get(keyId)) ?? {};
      const held = (await aStore().reservations(keyId)).reduce((sum, { amount }) => sum + amount, 0);
      expect(available + spent + held, message).toBe(GRANTED);
      expect(available, message).toBeGreaterThanOrEqual(0);
    },
    /** Expects that no empty chunk is left. @param options.unnamed how many may be left that no account names, since a process died */
    async expectNoEmptyChunk(keyId: string, { message, unnamed = 0 }: { message?: string; unnamed?: number } = {}) {
      const named = (await accounts.findOne({ _id: keyId }))?.chunks ?? {};
      expect(Object.values(named), message).not.toContain(0);
      const stored = (await chunks.find().toArray()).map(({ _id }) => _id).filter((id) => id.startsWith(keyId));
      expect(stored, message).toEqual(expect.arrayContaining(Object.keys(named).map((name) => `${keyId}/${name}`)));
      expect(stored.length, message).toBeLessThanOrEqual(Object.keys(named).length + unnamed);
    },
    async close(): Promise<void> {
      await db.dropDatabase();
      await Promise.all(two.map((one) => one.close()));
    },
  };
}
