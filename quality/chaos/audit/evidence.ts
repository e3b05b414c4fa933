import { createAccountStore } from '../../../store/accounts/account-store.ts';
import type { HeldReservation } from '../../../store/accounts/overflow-chunks.ts';
import { createRecordStore } from '../../../store/records/record-store.ts';
import type { Client } from '../client.ts';
import { DATABASE, type Stage } from '../stage.ts';

const ALL = 100_000;
/** Older than reservations that the API leaves alone. */
const HOLD_AGE_MS = 11 * 60_000;

export type Evidence = Awaited<ReturnType<typeof readEvidence>>;

/**
 * Reads the database. An api that died between the reservation of credit and the start of the job leaves a reservation, which
 * the service releases when it is ten minutes old. To avoid that wait, this function backdates the reservations.
 */
export async function readEvidence(
  { mongo, key }: Pick<Stage, 'mongo' | 'key'>,
  client: Client,
  database: string = DATABASE,
) {
  const db = mongo.db(database);
  const accounts = createAccountStore(db);
  const all = await createRecordStore(db).list({ limit: ALL });
  const records = new Map(all.map((record) => [record.id, record]));
  const before = await accounts.reservations(key.id);
  for (const { recordId, heldAtMs } of before) {
    const field = `holds.${recordId}.heldAtMs`;
    const filter = { _id: key.id as never, [`holds.${recordId}`]: { $exists: true } };
    await db.collection('accounts').updateOne(filter, { $set: { [field]: heldAtMs - HOLD_AGE_MS } });
  }
  const chunks = db.collection<{ _id: string; holds: readonly HeldReservation[] }>('overflow_chunks');
  const filled = await chunks.find({ _id: { $gt: `${key.id}/`, $lt: `${key.id}/~` } }).toArray();
  for (const { _id, holds } of filled) {
    const older = holds.map((hold) => ({ ...hold, heldAtMs: hold.heldAtMs - HOLD_AGE_MS }));
    await chunks.updateOne({ _id }, { $set: { holds: older } });
  }
  // Each request reads another overflow chunk.
  for (let count = 0; count <= filled.length; count += 1) await client.request('GET', '/api/account');
  const balance = await accounts.get(key.id);
  if (balance === undefined) throw new Error('the account of the key is gone');
  const account = { ...balance, holds: await accounts.reservations(key.id) };
  const left = new Set(account.holds.map(({ recordId }) => recordId));
  const held = before.map(({ recordId }) => recordId);
  return {
    records,
    entries: await accounts.ledger(key.id, { limit: ALL }),
    account,
    /** Credit that is still reserved for jobs that have ended. */
    unbooked: held.filter((id) => (records.get(id)?.status ?? 'pending') !== 'pending'),
    /** Credit that was reserved for jobs that never began, and was released. */
    givenBack: held.filter((id) => !records.has(id) && !left.has(id)),
  };
}

/** A column of the audit: a kind of error, and the IDs of its cases. */
export interface Finding {
  readonly column: string;
  readonly ids: readonly string[];
}
