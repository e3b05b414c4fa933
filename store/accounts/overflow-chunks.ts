import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import type { Thousandths } from '../../contract/money.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** A hold, and when it was made: milliseconds since 1970. */
export type HeldHold = CreditReservation & { readonly heldAtMs: number };

/** What the document of an account tells of holds. */
export interface HoldsOfAccount {
  /** By record. */
  readonly holds: Readonly<Record<string, Omit<HeldHold, 'recordId'>>>;
  /** By name: a bit for each hold of the pocket, set until that ends. Absent where no pocket was ever filled. */
  readonly pockets?: Readonly<Record<string, number>>;
  /** How many pockets were filled so far, which is the number of the next one. */
  readonly spills?: number;
}
interface AccountDocument extends HoldsOfAccount {
  readonly _id: string;
  readonly available: Thousandths;
  readonly spent: Thousandths;
}
/** `_id`: the key and the number. It never changes, and means nothing while no account names it. */
interface PocketDocument {
  readonly _id: string;
  readonly holds: readonly HeldHold[];
}
/** Where a hold is that is not in its account any more. */
interface Slot {
  readonly pocket: string;
  readonly bit: number;
  readonly amount: Thousandths;
}

/** More holds than that make an account fill a pocket. Each change writes all of them anew. */
const MOST_IN_ACCOUNT = 48;
/** As many bits as a number of 32 has without its sign. */
const POCKET_HOLDS = 30;
const SLOTS_KEPT = 10_000;
/** The first characters of a ULID, which tell its time. */
const TIME_CHARS = 10;

/**
 * Pockets: where an account with many holds keeps the oldest, so that its document stays small. What is in a pocket is told by a
 * document of its own; which of that is still held by a bit in the account. So money moves by one change of the account alone,
 * as it does for the holds in there, and all of this may be repeated, and be cut off anywhere.
 *
 * Pockets are asked for by `_id` alone: for anything else the embedded server reads all.
 */
export function createPockets(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const pockets: Collection<PocketDocument> = db.collection('pockets');
  /** By key and record. What was read of a pocket stays true, so one look at it serves all of its holds. */
  const slots = new Map<string, Slot>();
  /** Keys whose next pocket this process is filling. */
  const filling = new Set<string>();
  /** By key: how many pockets {@link next} has shown. */
  const turns = new Map<string, number>();

  /** @returns what is still held of a pocket that the account names */
  const openIn = async ({ _id: keyId, pockets: named = {} }: AccountDocument, pocket: string) => {
    const bits = named[pocket] ?? 0;
    // One without any may be gone.
    const { holds = [] } = bits === 0 ? {} : ((await pockets.findOne({ _id: idOf(keyId, pocket) })) ?? {});
    return holds.filter(({ recordId, amount }, bit) => {
      if ((bits & (1 << bit)) === 0) return false;
      slots.set(`${keyId}/${recordId}`, { pocket, bit, amount });
      const [oldest] = slots.keys();
      if (slots.size > SLOTS_KEPT && oldest !== undefined) slots.delete(oldest);
      return true;
    });
  };
  const fill = async ({ _id: keyId, holds, spills }: AccountDocument): Promise<void> => {
    const number = String(spills ?? 0);
    const oldest = Object.entries(holds)
      .map(([recordId, hold]): HeldHold => ({ recordId, ...hold }))
      .sort((one, other) => (one.recordId < other.recordId ? -1 : 1))
      .slice(0, POCKET_HOLDS);
    // Whoever comes first says what is in it, also when it dies then. Of that those move that are in the account as it was read:
    // while it counts no further pocket, others have ended, or came later and stay.
    const pocket = await upsertOne(pockets, `${keyId}/${number}`, { $setOnInsert: { holds: oldest } });
    const times = pocket.holds.map(({ recordId }) => recordId.slice(0, TIME_CHARS)).sort();
    const name = [number, times[0], times.at(-1)].join('-');
    const moved = pocket.holds.map(({ recordId }) => recordId).filter((recordId) => recordId in holds);
    const bits = pocket.holds.reduce((sum, { recordId }, bit) => sum + (recordId in holds ? 1 << bit : 0), 0);
    const fieldsWith = <Value>(value: Value) => Object.fromEntries(moved.map((id) => [`holds.${id}`, value] as const));
    // The fields are made up of ids of ours, which the types can't know.
    const filter = { _id: keyId, spills: spills ?? null, ...fieldsWith({ $exists: true }) } as Filter<AccountDocument>;
    const change = {
      $set: { [`pockets.${name}`]: bits },
      $inc: { spills: 1 },
      ...(moved.length > 0 && { $unset: fieldsWith('') }),
    } as UpdateFilter<AccountDocument>;
    const filled = await accounts.findOneAndUpdate(filter, change, { returnDocument: 'after' });
    if (filled !== null) await tidy(filled);
  };
  /** Removes the pockets whose holds have all ended. The account forgets them last, or nobody would find what is left. */
  const tidy = async ({ _id, pockets: named = {} }: AccountDocument): Promise<void> => {
    const empty = Object.keys(named).filter((pocket) => named[pocket] === 0);
    if (empty.length === 0) return;
    for (const pocket of empty) await pockets.deleteOne({ _id: idOf(_id, pocket) });
    const fields = Object.fromEntries(empty.map((pocket) => [`pockets.${pocket}`, '']));
    await accounts.updateOne({ _id }, { $unset: fields } as UpdateFilter<AccountDocument>);
  };

  return {
    /** Moves holds of an account that has many into a pocket. @param account as it is after a hold was added */
    async relieve(account: AccountDocument): Promise<void> {
      const { _id: keyId, holds } = account;
      if (Object.keys(holds).length <= MOST_IN_ACCOUNT || filling.has(keyId)) return;
      filling.add(keyId);
      try {
        await fill(account);
      } finally {
        filling.delete(keyId);
      }
    },
    /** Where a hold is, or was, by what this process has read of pockets. */
    known: (keyId: string, recordId: string): Slot | undefined => slots.get(`${keyId}/${recordId}`),
    /** Where a hold is. @param account in which it is not itself */
    async find(account: AccountDocument, recordId: string): Promise<Slot | undefined> {
      const time = recordId.slice(0, TIME_CHARS);
      for (const pocket of Object.keys(account.pockets ?? {})) {
        const [, from = '', to = ''] = pocket.split('-');
        if (time < from || time > to) continue;
        const held = await openIn(account, pocket);
        if (held.some((hold) => hold.recordId === recordId)) return slots.get(`${account._id}/${recordId}`);
      }
      return undefined;
    },
    /** Ends a hold that is in a pocket. @returns false when it is not there any more */
    async end(keyId: string, { pocket, bit, amount }: Slot, charge: Thousandths): Promise<boolean> {
      const field = `pockets.${pocket}`;
      const filter = { _id: keyId, [field]: { $bitsAllSet: [bit] } } as Filter<AccountDocument>;
      const money = { $inc: { available: amount - charge, spent: charge } };
      const change = { ...money, $bit: { [field]: { xor: 1 << bit } } } as UpdateFilter<AccountDocument>;
      const account = await accounts.findOneAndUpdate(filter, change, { returnDocument: 'after' });
      // The money has moved; what is left lying goes after the next end.
      if (account !== null) await tidy(account).catch(() => undefined);
      return account !== null;
    },
    /** What is held in a pocket, in another one each time: so a look at an account costs no more where there are many. */
    async next(account: AccountDocument): Promise<readonly HeldHold[]> {
      const named = Object.keys(account.pockets ?? {});
      const turn = turns.get(account._id) ?? 0;
      const pocket = named[turn % named.length];
      if (pocket === undefined) return [];
      turns.set(account._id, turn + 1);
      return openIn(account, pocket);
    },
    /** What is held in all pockets; for audits. */
    async all(account: AccountDocument): Promise<readonly HeldHold[]> {
      const found: HeldHold[] = [];
      for (const pocket of Object.keys(account.pockets ?? {})) found.push(...(await openIn(account, pocket)));
      return found;
    },
  };
}

/** @param pocket its name: the number, and the times of its oldest and its newest record */
function idOf(keyId: string, pocket: string): string {
  return `${keyId}/${pocket.split('-', 1).join('')}`;
}
