import type { Collection, Db, Document, Filter } from 'mongodb';
import type { Account, CreditReservation, LedgerEntry } from '../../contract/http/account-schemas.ts';
import { chargeOf } from '../../contract/kinds/charges.ts';
import type { Thousandths } from '../../contract/money.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { createPockets, type HeldHold, type HoldsOfAccount } from './overflow-chunks.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** What is set aside is counted in the account itself, so that one change of one document moves money. */
interface AccountDocument extends Omit<Account, 'keyId'>, HoldsOfAccount {
  _id: string;
}
/** `_id`: the key and the record, so that a record is booked once, and a key's entries lie together. */
type EntryDocument = LedgerEntry & { _id: string };
type HoldToEnd = Pick<CreditReservation, 'recordId' | 'amount'>;

/**
 * The accounts of keys. The hold of a job is the one sign that it has not been booked: it comes with the money set aside, and
 * goes with the money spent or given back, in one change each. So all of this may be repeated, and be cut off anywhere.
 */
export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const entries: Collection<EntryDocument> = db.collection('ledger');
  const pockets = createPockets(db);
  /** By key; that never changes. */
  const unlimited = new Map<string, boolean>();

  const get = async (keyId: string): Promise<Account | undefined> => {
    const document = await accounts.findOne({ _id: keyId }, { projection: { holds: 0, pockets: 0 } });
    if (document === null) return undefined;
    const { isUnlimited, granted, available, spent } = document;
    unlimited.set(keyId, isUnlimited);
    return { keyId, isUnlimited, granted, available, spent };
  };
  /** @returns whether the hold was there */
  const endInAccount = async (keyId: string, hold: HoldToEnd, charge: Thousandths): Promise<boolean> => {
    const field = `holds.${hold.recordId}`;
    // The field is made up of an id of ours, which the type of a filter can't know.
    const filter = { _id: keyId, [`${field}.amount`]: hold.amount } as Filter<AccountDocument>;
    const change = { $inc: { available: hold.amount - charge, spent: charge }, $unset: { [field]: '' as const } };
    return (await accounts.updateOne(filter, change)).matchedCount === 1;
  };
  /** Ends a hold, wherever it is, once. */
  const endHold = async (keyId: string, hold: HoldToEnd, charge: Thousandths): Promise<void> => {
    const { recordId } = hold;
    const known = pockets.known(keyId, recordId);
    if (known !== undefined && (await pockets.end(keyId, known, charge))) return;
    if (await endInAccount(keyId, hold, charge)) return;
    const account = await accounts.findOne({ _id: keyId });
    if (account === null) return;
    const held = account.holds[recordId];
    // More was set aside than the price is by now. It may go into a pocket in this moment.
    if (held !== undefined) return endHold(keyId, { recordId, amount: held.amount }, charge);
    const slot = await pockets.find(account, recordId);
    if (slot !== undefined) await pockets.end(keyId, slot, charge);
  };

  const allHolds = async (account: AccountDocument): Promise<readonly HeldHold[]> => [
    ...inAccount(account),
    ...(await pockets.all(account)),
  ];

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
    async reserve(keyId: string, wanted: readonly CreditReservation[]): Promise<boolean> {
      const holds = wanted.filter(({ amount }) => amount > 0);
      if (holds.length === 0) return true;
      const isUnlimited = unlimited.get(keyId) ?? (await get(keyId))?.isUnlimited;
      if (isUnlimited === undefined) return false;
      const amount = holds.reduce((sum, hold) => sum + hold.amount, 0);
      const heldAtMs = Date.now();
      const fields = holds.map(({ recordId, ...hold }) => [`holds.${recordId}`, { ...hold, heldAtMs }] as const);
      const filter = { _id: keyId, ...(isUnlimited ? {} : { available: { $gte: amount } }) };
      const change = { $inc: { available: -amount }, $set: Object.fromEntries(fields) };
      const account = await accounts.findOneAndUpdate(filter, change, { returnDocument: 'after' });
      if (account === null) return false;
      // The money is set aside by now; what cannot be moved is moved after the next one.
      await pockets.relieve(account).catch(() => undefined);
      return true;
    },
    /** Gives back what was set aside for a job that was not started. */
    async release(keyId: string, hold: CreditReservation): Promise<void> {
      if (hold.amount > 0) await endHold(keyId, hold, 0);
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
      await endHold(keyId, { recordId, amount: record.price }, charge);
    },
    /**
     * Holds that were made before a time, in milliseconds since 1970. Of an account with many, each call tells others besides
     * the newest, and several calls all.
     */
    async oldHolds(keyId: string, heldBeforeMs: number): Promise<readonly HeldHold[]> {
      const account = await accounts.findOne({ _id: keyId });
      if (account === null) return [];
      const some = [...inAccount(account), ...(await pockets.next(account))];
      return some.filter(({ heldAtMs }) => heldAtMs < heldBeforeMs);
    },
    /** All that is set aside for a key; for audits. */
    async holds(keyId: string): Promise<readonly HeldHold[]> {
      const account = await accounts.findOne({ _id: keyId });
      return account === null ? [] : allHolds(account);
    },
    /** The documents of all accounts, with all holds, as releases know them that have no pockets; for copies. */
    async *whole(): AsyncGenerator<Document> {
      for await (const account of accounts.find()) {
        const { pockets: _named, spills: _filled, ...rest } = account;
        const holds = (await allHolds(account)).map(({ recordId, ...hold }) => [recordId, hold] as const);
        yield { ...rest, holds: Object.fromEntries(holds) };
      }
    },
    /** Entries of a key, newest download first. @param page.before only downloads with a smaller id */
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

function inAccount({ holds }: HoldsOfAccount): readonly HeldHold[] {
  return Object.entries(holds).map(([recordId, hold]) => ({ recordId, ...hold }));
}
