import { randomUUID } from 'node:crypto';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { CreditReservation } from '../../contract/http/account-schemas.ts';
import type { Thousandths } from '../../contract/money.ts';

export type HeldReservation = CreditReservation & { readonly heldAtMs: number };

export interface ReservationsOfAccount {
  /** The keys are record IDs. */
  readonly holds: Readonly<Record<string, Omit<HeldReservation, 'recordId'>>>;
  /** The keys are names of chunks. Each reservation of a chunk has one bit, which is set while the reservation is open. */
  readonly chunks?: Readonly<Record<string, number>>;
}
interface AccountDocument extends ReservationsOfAccount {
  readonly _id: string;
  readonly available: Thousandths;
  readonly spent: Thousandths;
}
/** `_id`: the key ID and the chunk's name. The document never changes. */
interface ChunkDocument {
  readonly _id: string;
  readonly holds: readonly HeldReservation[];
}
interface Slot {
  readonly chunk: string;
  readonly bit: number;
  readonly amount: Thousandths;
}

/** An account with more reservations than this fills a chunk, since each change rewrites the whole document. */
const MAX_IN_ACCOUNT = 48;
/** The bits of a chunk must fit into a positive 32-bit integer. */
const CHUNK_SIZE = 30;
const MAX_CACHED_SLOTS = 10_000;
/** The leading characters of a ULID that encode its time. */
const TIME_CHARS = 10;

/** A bit in the account says whether each reservation is open. Only `_id` is queried, because other filters scan. */
export function createOverflowChunks(db: Db) {
  const accounts: Collection<AccountDocument> = db.collection('accounts');
  const chunks: Collection<ChunkDocument> = db.collection('overflow_chunks');
  /** The keys are a key ID with a record ID. A slot never changes, so one read of a chunk serves all of its reservations. */
  const slots = new Map<string, Slot>();
  const moving = new Set<string>();
  /** The number of chunks that {@link next} has returned for each key ID. */
  const cursors = new Map<string, number>();

  const openIn = async ({ _id: keyId, chunks: masks = {} }: AccountDocument, chunk: string) => {
    const mask = masks[chunk] ?? 0;
    if (mask === 0) return [];
    const { holds = [] } = (await chunks.findOne({ _id: `${keyId}/${chunk}` })) ?? {};
    return holds.filter(({ recordId, amount }, bit) => {
      if ((mask & (1 << bit)) === 0) return false;
      slots.set(`${keyId}/${recordId}`, { chunk, bit, amount });
      const [oldest] = slots.keys();
      if (slots.size > MAX_CACHED_SLOTS && oldest !== undefined) slots.delete(oldest);
      return true;
    });
  };
  const fillChunk = async (keyId: string, moved: readonly HeldReservation[]): Promise<void> => {
    const [from, to] = [moved[0], moved.at(-1)].map((hold) => hold?.recordId.slice(0, TIME_CHARS));
    const chunk = [from, to, randomUUID().slice(0, 8)].join('-');
    // The account names the chunk last, so that it never names one that is missing.
    await chunks.insertOne({ _id: `${keyId}/${chunk}`, holds: moved });
    const fieldsWith = <Value>(value: Value) =>
      Object.fromEntries(moved.map(({ recordId }) => [`holds.${recordId}`, value] as const));
    // The driver's types cannot express field names that contain IDs.
    const filter = { _id: keyId, ...fieldsWith({ $exists: true }) } as Filter<AccountDocument>;
    const change = {
      $set: { [`chunks.${chunk}`]: 2 ** moved.length - 1 },
      $unset: fieldsWith(''),
    } as UpdateFilter<AccountDocument>;
    const { matchedCount } = await accounts.updateOne(filter, change);
    // A reservation has ended meanwhile, or another process has moved it.
    if (matchedCount === 0) await chunks.deleteOne({ _id: `${keyId}/${chunk}` });
  };
  /** The account forgets the chunks last, so that the next call finds them after a crash. */
  const removeEmpty = async ({ _id: keyId, chunks: masks = {} }: AccountDocument): Promise<void> => {
    const empty = Object.keys(masks).filter((chunk) => masks[chunk] === 0);
    if (empty.length === 0) return;
    for (const chunk of empty) await chunks.deleteOne({ _id: `${keyId}/${chunk}` });
    const fields = Object.fromEntries(empty.map((chunk) => [`chunks.${chunk}`, '']));
    await accounts.updateOne({ _id: keyId }, { $unset: fields } as UpdateFilter<AccountDocument>);
  };
  const endCached = async (keyId: string, recordId: string, charge: Thousandths): Promise<boolean> => {
    const slot = slots.get(`${keyId}/${recordId}`);
    if (slot === undefined) return false;
    const field = `chunks.${slot.chunk}`;
    const filter = { _id: keyId, [field]: { $bitsAllSet: [slot.bit] } } as Filter<AccountDocument>;
    const change = {
      $inc: { available: slot.amount - charge, spent: charge },
      $bit: { [field]: { xor: 1 << slot.bit } },
    } as UpdateFilter<AccountDocument>;
    const account = await accounts.findOneAndUpdate(filter, change, { returnDocument: 'after' });
    // The money has moved. An empty chunk that an error leaves behind is removed when the next reservation ends.
    if (account !== null) await removeEmpty(account).catch(() => undefined);
    return account !== null;
  };

  return {
    /** Ends a reservation whose chunk this process has read. @returns false when it has not, or the reservation is not open */
    endCached,
    async relieve(account: AccountDocument): Promise<void> {
      const { _id: keyId } = account;
      const all = reservationsIn(account);
      if (all.length <= MAX_IN_ACCOUNT || moving.has(keyId)) return;
      all.sort((one, other) => (one.recordId < other.recordId ? -1 : 1));
      moving.add(keyId);
      try {
        await fillChunk(keyId, all.slice(0, CHUNK_SIZE));
      } finally {
        moving.delete(keyId);
      }
    },
    async end(account: AccountDocument, recordId: string, charge: Thousandths): Promise<void> {
      const time = recordId.slice(0, TIME_CHARS);
      for (const chunk of Object.keys(account.chunks ?? {})) {
        const [from = '', to = ''] = chunk.split('-');
        if (time < from || time > to) continue;
        await openIn(account, chunk);
        if (await endCached(account._id, recordId, charge)) return;
      }
    },
    /** @returns the open reservations of one chunk, and of the next chunk when called again */
    async next(account: AccountDocument): Promise<readonly HeldReservation[]> {
      const names = Object.keys(account.chunks ?? {});
      const cursor = cursors.get(account._id) ?? 0;
      const chunk = names[cursor % names.length];
      if (chunk === undefined) return [];
      cursors.set(account._id, cursor + 1);
      return openIn(account, chunk);
    },
    async all(account: AccountDocument): Promise<readonly HeldReservation[]> {
      const found: HeldReservation[] = [];
      for (const chunk of Object.keys(account.chunks ?? {})) found.push(...(await openIn(account, chunk)));
      return found;
    },
  };
}

export function reservationsIn({ holds }: ReservationsOfAccount): HeldReservation[] {
  return Object.entries(holds).map(([recordId, hold]) => ({ recordId, ...hold }));
}
