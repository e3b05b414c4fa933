import { MongoNetworkTimeoutError, type Db, type IndexSpecification } from 'mongodb';
import { nowMicroseconds } from './clock.ts';
import { upsertOne } from './upsert.ts';

/**
 * A change of what is stored. It may run at any time beside this version, the one before and itself: so it may be repeated,
 * adds only what an older version leaves alone, and holds up no writer.
 */
export interface Migration {
  /** Counted from 1; a number that was released is never given to something else. */
  readonly number: number;
  /** For logs. */
  readonly what: string;
  readonly run: (db: Db) => Promise<unknown>;
}

/** By the number of a migration when it was applied: ISO 8601 UTC with microseconds. */
interface AppliedDocument {
  _id: 'applied';
  at?: Readonly<Record<string, string>>;
}

/** A large collection takes minutes, longer than a request may: the server goes on, and who asks again waits on. */
const ASKED_AT_MOST = 100;

async function insist(work: () => Promise<unknown>): Promise<void> {
  for (let asked = 1; ; asked += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || asked === ASKED_AT_MOST) throw error;
    }
  }
}

/** Pages of listings go by `_id`, so a field that is asked for stands before it. */
function indexes(collection: string, keys: readonly IndexSpecification[]): Migration['run'] {
  return async (db) => {
    // One by one: each of several processes then waits for the other, and finds it done.
    for (const key of keys) await insist(() => db.collection(collection).createIndex(key));
  };
}

/**
 * None is unique, partial or ends documents by itself, since the embedded server knows only plain ones. What is found by
 * `_id` and its ranges alone (contents, accounts, the downloads of a key, the ledger) needs none.
 */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    what: 'indexes of records, by what lists are filtered by',
    run: indexes('records', [
      { status: 1, _id: -1 },
      { type: 1, _id: -1 },
      { mediaId: 1, _id: -1 },
      { chargedTo: 1, _id: -1 },
      { createdAt: -1 },
      { finishedAt: -1 },
    ]),
  },
  {
    number: 2,
    what: 'indexes of deliveries, by who asked for them and by their state',
    run: indexes('deliveries', [
      { subscribedBy: 1, _id: -1 },
      { state: 1, _id: -1 },
    ]),
  },
];

/**
 * Applies what the database has not seen yet. Several processes may do that at once.
 *
 * @param onApplied is told of each that this call applied
 */
export async function migrate(
  db: Db,
  onApplied: (migration: Migration) => void = () => undefined,
  all: readonly Migration[] = migrations,
): Promise<void> {
  const notes = db.collection<AppliedDocument>('migrations');
  const { at = {} } = (await notes.findOne({ _id: 'applied' })) ?? {};
  for (const migration of all) {
    const field = String(migration.number);
    if (field in at) continue;
    await migration.run(db);
    await upsertOne(notes, 'applied', { $set: { [`at.${field}`]: nowMicroseconds() } });
    onApplied(migration);
  }
}
