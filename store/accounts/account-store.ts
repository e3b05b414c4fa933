import type { Collection, Db, Document, Filter } from 'mongodb';
import type { Account, CreditReservation, LedgerEntry } from '../../contract/http/account-schemas.ts';
import { chargeOf } from '../../contract/kinds/charges.ts';
import type { Thousandths } from '../../contract/money.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import {
  createOverflowChunks,
  reservationsIn,
  type HeldReservation,
  type ReservationsOfAccount,
} from './overflow-chunks.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** Reservations are in the account's document, so that one change of one document moves money. */
interface AccountDocument extends Omit<Account, 'keyId'>, ReservationsOfAccount {
  _id: string;
}
/** `_id`: the key ID and the record ID, so that a record is captured once, and the index orders the entries of a key. */
type EntryDocument = LedgerEntry & { _id: string };
type ReservationToEnd = Pick<CreditReservation, 'recordId' | 'amount'>;

/** Each method may be interrupted and repeated: one change reserves credit, and one captures or releases it. */
export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const entries: Collection<EntryDocument> = db.collection('ledger');
  const chunks = createOverflowChunks(db);
  /** Whether an account is unlimited, by the ID of its key. This never changes, so it is cached. */
  const unlimited = new Map<string, boolean>();

  const get = async (keyId: string): Promise<Account | undefined> => {
    const document = await accounts.findOne({ _id: keyId }, { projection: { holds: 0, chunks: 0 } });
    if (document === null) return undefined;
    const { isUnlimited, granted, available, spent } = document;
    unlimited.set(keyId, isUnlimited);
    return { keyId, isUnlimited, granted, available, spent };
  };
  const endInAccount = async (keyId: string, { recordId, amount }: ReservationToEnd, charge: Thousandths) => {
    const field = `holds.${recordId}`;
    // The driver's types cannot express field names that contain IDs.
    const filter = { _id: keyId, [`${field}.amount`]: amount } as Filter<AccountDocument>;
    const change = { $inc: { available: amount - charge, spent: charge }, $unset: { [field]: '' as const } };
    return (await accounts.updateOne(filter, change)).matchedCount === 1;
  };
  const end = async (keyId: string, reservation: ReservationToEnd, charge: Thousandths): Promise<void> => {
    const { recordId } = reservation;
    if (await chunks.endCached(keyId, recordId, charge)) return;
    if (await endInAccount(keyId, reservation, charge)) return;
    const account = await accounts.findOne({ _id: keyId });
    if (account === null) return;
    const held = account.holds[recordId];
    // The price was lowered after the reservation. It may move into a chunk at this moment, so all steps are repeated.
    if (held !== undefined) return end(keyId, { recordId, amount: held.amount }, charge);
    await chunks.end(account, recordId, charge);
  };
  const allReservations = async (account: AccountDocument): Promise<readonly HeldReservation[]> => [
    ...reservationsIn(account),
    ...(await chunks.all(account)),
  ];

  return {
    get,
    /** @param credit undefined: unlimited */
    async open(keyId: string, credit: Thousandths | undefined): Promise<void> {
      const granted = credit ?? 0;
      const isUnlimited = credit === undefined;
      await accounts.insertOne({ _id: keyId, isUnlimited, granted, available: granted, spent: 0, holds: {} });
    },
    /** @param amount negative to withdraw credit @returns false when less is available, or the account does not exist */
    async grant(keyId: string, amount: Thousandths): Promise<boolean> {
      const filter = { _id: keyId, ...(amount < 0 ? { available: { $gte: -amount } } : {}) };
      const { matchedCount } = await accounts.updateOne(filter, { $inc: { granted: amount, available: amount } });
      return matchedCount === 1;
    },
    /** Reserves the prices of all jobs, or of none of them, and only once. @returns false when less credit is available */
    async reserve(keyId: string, wanted: readonly CreditReservation[]): Promise<boolean> {
      const holds = wanted.filter(({ amount }) => amount > 0);
      if (holds.length === 0) return true;
      const isUnlimited = unlimited.get(keyId) ?? (await get(keyId))?.isUnlimited;
      if (isUnlimited === undefined) return false;
      const amount = holds.reduce((sum, hold) => sum + hold.amount, 0);
      const heldAtMs = Date.now();
      const fields = holds.map(({ recordId, ...hold }) => [`holds.${recordId}`, { ...hold, heldAtMs }] as const);
      const unreserved = Object.fromEntries(fields.map(([field]) => [field, { $exists: false }]));
      const filter = { _id: keyId, ...(isUnlimited ? {} : { available: { $gte: amount } }), ...unreserved };
      const change = { $inc: { available: -amount }, $set: Object.fromEntries(fields) };
      const account = await accounts.findOneAndUpdate(filter, change, { returnDocument: 'after' });
      if (account === null) {
        const found = await accounts.findOne({ _id: keyId });
        return found !== null && holds.every(({ recordId }) => found.holds[recordId] !== undefined);
      }
      // The credit is reserved. Reservations that an error leaves in the account move with the next one.
      await chunks.relieve(account).catch(() => undefined);
      return true;
    },
    async release(keyId: string, reservation: CreditReservation): Promise<void> {
      if (reservation.amount > 0) await end(keyId, reservation, 0);
    },
    async capture(record: DownloadRecord): Promise<void> {
      const { id: recordId, chargedTo: keyId, type, mediaId } = record;
      if (keyId === undefined || record.status === 'pending') return;
      const charge = chargeOf(record);
      if (charge > 0) {
        // The ledger comes first, so that it lists all that is spent. A repetition after a crash changes nothing.
        const entry = { keyId, recordId, type, mediaId, amount: charge, bookedAt: record.finishedAt };
        await upsertOne(entries, entryId(keyId, recordId), { $setOnInsert: entry });
      }
      await end(keyId, { recordId, amount: record.price }, charge);
    },
    /** Each call also reads one overflow chunk of an account with many. @param heldBeforeMs milliseconds since 1970 */
    async oldReservations(keyId: string, heldBeforeMs: number): Promise<readonly HeldReservation[]> {
      const account = await accounts.findOne({ _id: keyId });
      if (account === null) return [];
      const some = [...reservationsIn(account), ...(await chunks.next(account))];
      return some.filter(({ heldAtMs }) => heldAtMs < heldBeforeMs);
    },
    async reservations(keyId: string): Promise<readonly HeldReservation[]> {
      const account = await accounts.findOne({ _id: keyId });
      return account === null ? [] : allReservations(account);
    },
    async *documents(): AsyncGenerator<Document> {
      for await (const account of accounts.find()) {
        const { chunks: _masks, ...document } = account;
        const holds = (await allReservations(account)).map(({ recordId, ...hold }) => [recordId, hold] as const);
        yield { ...document, holds: Object.fromEntries(holds) };
      }
    },
    /** @returns entries of a key, newest first. @param page.before only records with a smaller ID */
    async ledger(
      keyId: string,
      { before, limit }: { before?: string | undefined; limit: number },
    ): Promise<readonly LedgerEntry[]> {
      const filter = { _id: { $gt: entryId(keyId, ''), $lt: entryId(keyId, before ?? '~') } };
      const found = await entries.find(filter).sort({ _id: -1 }).limit(limit).toArray();
      return found.map(({ _id, ...entry }) => entry);
    },
  };
}

function entryId(keyId: string, recordId: string): string {
  return `${keyId}/${recordId}`;
}
