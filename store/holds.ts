import type { Collection, Db, Filter } from 'mongodb';
import type { Hold } from '../contract/accounts.ts';
import type { Thousandths } from '../contract/money.ts';
import { SCAN_TIMEOUT_MS } from './scans.ts';
import { upsertOne } from './upsert.ts';

type StoredHold = Omit<Hold, 'recordId'> & { readonly heldAtMs: number };

/** What an account document tells of holds. The text is the id of a record. */
export interface HoldsOfAccount {
  /** Holds of versions that kept them all here. They end here. */
  readonly holds: Readonly<Record<string, StoredHold>>;
  /** The money is set aside, whatever the hold's own document says. */
  readonly opening?: Readonly<Record<string, StoredHold>>;
  /** The money is set aside no longer, whatever the hold's own document says. */
  readonly closing?: Readonly<Record<string, number>>;
  /** By group of records: grows with each hold that ends, so that whoever has read something older changes nothing. */
  readonly fences?: Readonly<Record<string, number>>;
}
type AccountDocument = HoldsOfAccount & { readonly _id: string };

/** `_id`: the key and the record, so that a key's holds lie together, the oldest first. */
interface HoldDocument extends StoredHold {
  readonly _id: string;
  /** Without it the document means nothing: the account decides. */
  readonly isHeld: boolean;
}

/** A hold, and where it was found. */
export type FoundHold = Hold & { readonly heldAtMs: number };

/**
 * The holds of accounts, a document each, so that an account stays small however many jobs are under way.
 *
 * Money moves by a change of the account document alone, which names the hold while it comes and while it goes. What is named
 * nowhere there counts if its own document says so. A hold comes: the money taken, with `opening`; its document, which means
 * nothing yet; the document holds; `opening` goes. It goes: the money moved, with `closing`; the document goes; `closing` goes.
 * So all of this may be cut off anywhere and repeated by anybody, and no document of a hold appears after its money has moved.
 *
 * Documents of holds are asked for by `_id` alone: for anything else the embedded server reads all.
 */
export function createHolds(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const documents: Collection<HoldDocument> = db.collection('holds');

  const forget = async (keyId: string, recordId: string): Promise<void> => {
    await documents.deleteOne({ _id: idOf(keyId, recordId) });
    await accounts.updateOne({ _id: keyId }, { $unset: { [`closing.${recordId}`]: '' as const } });
  };
  /** @param change of the money, by the amount that was set aside; it is made once */
  const close = async (
    keyId: string,
    recordId: string,
    change: (amount: Thousandths) => Readonly<Record<string, number>>,
  ): Promise<void> => {
    const fence = `fences.${groupOf(recordId)}`;
    const [held, opening, closing] = [`holds.${recordId}`, `opening.${recordId}`, `closing.${recordId}`] as const;
    const make = async (amount: Thousandths, condition: object, gone?: string): Promise<boolean> => {
      const update = {
        $inc: { ...change(amount), [fence]: 1 },
        $set: { [closing]: Date.now() },
        ...(gone !== undefined && { $unset: { [gone]: '' as const } }),
      };
      // The fields are made up of ids of ours, which the types can't know.
      const filter = { _id: keyId, ...condition } as Filter<AccountDocument>;
      return (await accounts.updateOne(filter, update)).matchedCount === 1;
    };
    for (;;) {
      const account = await accounts.findOne({ _id: keyId });
      if (account === null) return;
      if (account.closing?.[recordId] !== undefined) return forget(keyId, recordId);
      const [old, fresh] = [account.holds[recordId], account.opening?.[recordId]];
      let isDone: boolean;
      if (old !== undefined) isDone = await make(old.amount, { [`${held}.amount`]: old.amount }, held);
      else if (fresh !== undefined) isDone = await make(fresh.amount, { [`${opening}.amount`]: fresh.amount }, opening);
      else {
        const own = await documents.findOne({ _id: idOf(keyId, recordId) });
        if (own?.isHeld !== true) return;
        const unchanged = account.fences?.[groupOf(recordId)] ?? { $exists: false };
        const unnamed = { [opening]: { $exists: false }, [closing]: { $exists: false } };
        isDone = await make(own.amount, { [fence]: unchanged, ...unnamed });
      }
      if (isDone) return forget(keyId, recordId);
    }
  };
  /** Lets the document of a hold that was opened count by itself. */
  const settle = async (keyId: string, recordId: string): Promise<void> => {
    const { matchedCount } = await documents.updateOne({ _id: idOf(keyId, recordId) }, { $set: { isHeld: true } });
    if (matchedCount === 0) return;
    await accounts.updateOne({ _id: keyId }, { $unset: { [`opening.${recordId}`]: '' as const } });
  };
  const page = async (keyId: string, after: string, limit: number) => {
    const filter = { _id: { $gt: idOf(keyId, after), $lt: idOf(keyId, '~') } };
    return documents.find(filter, { maxTimeMS: SCAN_TIMEOUT_MS }).sort({ _id: 1 }).limit(limit).toArray();
  };

  return {
    close,
    /**
     * @param take the change of the account that takes the money for all: it sets what it is handed
     * @returns whether the money was taken
     */
    async open(
      keyId: string,
      wanted: readonly Hold[],
      take: (opening: Readonly<Record<string, StoredHold>>) => Promise<boolean>,
    ): Promise<boolean> {
      const heldAtMs = Date.now();
      const fields = wanted.map(({ recordId, ...hold }) => [`opening.${recordId}`, { ...hold, heldAtMs }] as const);
      if (!(await take(Object.fromEntries(fields)))) return false;
      // Before the job starts, so before anybody can end the hold.
      await Promise.all(
        wanted.map(({ recordId, ...hold }) =>
          upsertOne(documents, idOf(keyId, recordId), { $setOnInsert: { ...hold, heldAtMs, isHeld: false } }),
        ),
      );
      // Nobody waits for it: until then the account itself says it. Should we die here, checks do it (`old`).
      for (const { recordId } of wanted) void settle(keyId, recordId).catch(() => undefined);
      return true;
    },
    /**
     * Holds that are older than a time, the oldest first, and tidies what a process left that died.
     *
     * @param page.after only holds of greater records; those that stand in the account come with the first page
     */
    async old(
      keyId: string,
      { heldBeforeMs, after, limit }: { heldBeforeMs: number; after: string; limit: number },
    ): Promise<readonly FoundHold[]> {
      const account = after === '' ? await accounts.findOne({ _id: keyId }) : null;
      for (const [recordId, sinceMs] of Object.entries(account?.closing ?? {})) {
        if (sinceMs < heldBeforeMs) await forget(keyId, recordId);
      }
      const found: FoundHold[] = [];
      for (const [recordId, hold] of Object.entries({ ...account?.holds, ...account?.opening })) {
        if (hold.heldAtMs >= heldBeforeMs) continue;
        await settle(keyId, recordId);
        found.push({ recordId, ...hold });
      }
      for (const { _id, isHeld, heldAtMs, ...hold } of await page(keyId, after, limit)) {
        const recordId = _id.slice(keyId.length + 1);
        if (heldAtMs >= heldBeforeMs || found.some((one) => one.recordId === recordId)) continue;
        // Nothing was set aside for it, or not for long.
        if (!isHeld) await documents.deleteOne({ _id });
        else found.push({ recordId, heldAtMs, ...hold });
      }
      return found;
    },
    /** All that is set aside for a key; for audits. */
    async all(keyId: string): Promise<readonly FoundHold[]> {
      const found = new Map<string, StoredHold>();
      for (let after = ''; ;) {
        const documentsOfPage = await page(keyId, after, 1_000);
        for (const { _id, isHeld, ...hold } of documentsOfPage) {
          after = _id.slice(keyId.length + 1);
          if (isHeld) found.set(after, hold);
        }
        if (documentsOfPage.length === 0) break;
      }
      const account = await accounts.findOne({ _id: keyId });
      for (const [recordId, hold] of Object.entries({ ...account?.holds, ...account?.opening }))
        found.set(recordId, hold);
      for (const recordId of Object.keys(account?.closing ?? {})) found.delete(recordId);
      return [...found].map(([recordId, hold]) => ({ recordId, ...hold }));
    },
  };
}

function idOf(keyId: string, recordId: string): string {
  return `${keyId}/${recordId}`;
}

/** By the last letter of a ULID, which is random: 32 groups. */
function groupOf(recordId: string): string {
  return recordId.slice(-1);
}
