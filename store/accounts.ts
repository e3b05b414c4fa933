import type { Collection, Db } from 'mongodb';
import type { Account, Hold, LedgerEntry } from '../contract/accounts.ts';
import { chargeOf } from '../contract/charges.ts';
import type { Thousandths } from '../contract/money.ts';
import type { DownloadRecord } from '../contract/records.ts';
import { createHolds, type HoldsOfAccount } from './holds.ts';
import { SCAN_TIMEOUT_MS } from './scans.ts';
import { upsertOne } from './upsert.ts';

interface AccountDocument extends Omit<Account, 'keyId'>, HoldsOfAccount {
  _id: string;
}
/** `_id`: the key and the record, so that a record is booked once, and a key's entries lie together. */
type EntryDocument = LedgerEntry & { _id: string };

/**
 * The accounts of keys. The hold of a job is the one sign that it has not been booked: it comes with the money set aside, and
 * goes with the money spent or given back (holds.ts). So all of this may be repeated, and be cut off anywhere.
 */
export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const entries: Collection<EntryDocument> = db.collection('ledger');
  const holds = createHolds(db);
  /** By key; that never changes. */
  const unlimited = new Map<string, boolean>();

  const get = async (keyId: string): Promise<Account | undefined> => {
    const document = await accounts.findOne({ _id: keyId });
    if (document === null) return undefined;
    unlimited.set(keyId, document.isUnlimited);
    return fromDocument(document);
  };
  const book = (keyId: string, recordId: string, charge: Thousandths): Promise<void> =>
    holds.close(keyId, recordId, (amount) => ({ available: amount - charge, spent: charge }));

  return {
    get,
    /** @param credit undefined: unlimited */
    async open(keyId: string, credit: Thousandths | undefined): Promise<void> {
      const granted = credit ?? 0;
      const isUnlimited = credit === undefined;
      await accounts.insertOne({ _id: keyId, isUnlimited, granted, available: granted, spent: 0, holds: {} });
    },
    /** Gives or takes credit. @returns false when less is left than is to be taken, or there is no such account */
    async grant(keyId: string, amount: Thousandths): Promise<boolean> {
      const filter = { _id: keyId, ...(amount < 0 ? { available: { $gte: -amount } } : {}) };
      const { matchedCount } = await accounts.updateOne(filter, { $inc: { granted: amount, available: amount } });
      return matchedCount === 1;
    },
    /** Sets aside what jobs cost, for all of them or for none. @returns false when less is left */
    async reserve(keyId: string, wanted: readonly Hold[]): Promise<boolean> {
      const paid = wanted.filter(({ amount }) => amount > 0);
      if (paid.length === 0) return true;
      const isUnlimited = unlimited.get(keyId) ?? (await get(keyId))?.isUnlimited;
      if (isUnlimited === undefined) return false;
      const amount = paid.reduce((sum, hold) => sum + hold.amount, 0);
      const filter = { _id: keyId, ...(isUnlimited ? {} : { available: { $gte: amount } }) };
      return holds.open(keyId, paid, async (opening) => {
        const change = { $inc: { available: -amount }, $set: opening };
        return (await accounts.updateOne(filter, change)).matchedCount === 1;
      });
    },
    /** Gives back what was set aside for a job that was not started. */
    async release(keyId: string, hold: Hold): Promise<void> {
      if (hold.amount > 0) await book(keyId, hold.recordId, 0);
    },
    /** Books what a record that has ended costs, and gives back the rest. */
    async captureHold(record: DownloadRecord): Promise<void> {
      const { id: recordId, chargedTo: keyId, type, mediaId } = record;
      if (keyId === undefined || record.status === 'pending') return;
      const charge = chargeOf(record);
      if (charge > 0) {
        // Before the account, so that nothing is spent that is not listed; again after a crash, with no effect.
        const entry = { keyId, recordId, type, mediaId, amount: charge, bookedAt: record.finishedAt };
        await upsertOne(entries, entryId(keyId, recordId), { $setOnInsert: entry });
      }
      await book(keyId, recordId, charge);
    },
    oldHolds: (...asked: Parameters<typeof holds.old>) => holds.old(...asked),
    allHolds: (keyId: string) => holds.all(keyId),
    /** Entries of a key, newest download first. @param page.before only downloads with a smaller id */
    async ledger(
      keyId: string,
      { before, limit }: { before?: string | undefined; limit: number },
    ): Promise<readonly LedgerEntry[]> {
      const filter = { _id: { $gt: entryId(keyId, ''), $lt: entryId(keyId, before ?? '~') } };
      const found = await entries.find(filter, { maxTimeMS: SCAN_TIMEOUT_MS }).sort({ _id: -1 }).limit(limit).toArray();
      return found.map(({ _id, ...entry }) => entry);
    },
  };
}

function entryId(keyId: string, recordId: string): string {
  return `${keyId}/${recordId}`;
}

function fromDocument({ _id, isUnlimited, granted, available, spent }: AccountDocument): Account {
  return { keyId: _id, isUnlimited, granted, available, spent };
}
