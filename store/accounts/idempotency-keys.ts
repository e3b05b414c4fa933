import type { Collection, Db } from 'mongodb';
import { createTimedIds } from '../mongo/timed-ids.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly id: string;
  /** A hash of the operation and its input. */
  readonly fingerprint: string;
  /** From it, the IDs of what the request creates are derived. */
  readonly seed: string;
  readonly createdAtMs: number;
  /** The request that runs now, or ran last, and until when no other one with the key may run. */
  readonly holder: string;
  readonly heldUntilMs: number;
  /** The IDs of what answers the request, by name; absent until it is done. */
  readonly ids?: Readonly<Record<string, string>>;
  /** The answer as JSON; absent where it is rendered again from what the IDs name. */
  readonly answer?: string;
}
type Hold = Pick<KeyedRequest, 'holder' | 'heldUntilMs'>;
type KeyDocument = Omit<KeyedRequest, 'id'> & { _id: string };

/** How long a key is known. */
export const KEY_KEPT_MS = 24 * 3_600_000;

export type IdempotencyKeyStore = ReturnType<typeof createIdempotencyKeyStore>;

export function createIdempotencyKeyStore(db: Db) {
  const keys: Collection<KeyDocument> = db.collection('idempotency_keys');
  const times = createTimedIds(db, 'idempotency_times');
  return {
    /** Stores the request unless its key is in use. @returns the request that has the key */
    async claim({ id, ...fields }: KeyedRequest): Promise<KeyedRequest> {
      const known = await keys.findOne({ _id: id });
      if (known === null) await times.add(`${fields.seed}/${id}`, fields.createdAtMs);
      const { _id, ...stored } = known ?? (await upsertOne(keys, id, { $setOnInsert: fields }));
      return { id: _id, ...stored };
    },
    /** Gives the key to the next holder, unless another request has taken it meanwhile. */
    async take({ id, holder, heldUntilMs }: KeyedRequest, next: Hold): Promise<void> {
      await keys.updateOne({ _id: id, holder, heldUntilMs }, { $set: next });
    },
    async hold(id: string, { holder, heldUntilMs }: Hold): Promise<void> {
      await keys.updateOne({ _id: id, holder }, { $set: { heldUntilMs } });
    },
    async finish(id: string, done: Pick<KeyedRequest, 'ids' | 'answer'>): Promise<void> {
      await keys.updateOne({ _id: id, ids: { $exists: false } }, { $set: done });
    },
    async remove({ id, seed }: Pick<KeyedRequest, 'id' | 'seed'>): Promise<void> {
      await keys.deleteOne({ _id: id, seed });
    },
    async removeBefore(ms: number): Promise<void> {
      for await (const { entry, id: timed } of times.before(ms)) {
        const [seed = '', id = ''] = timed.split('/');
        await this.remove({ id, seed });
        await times.remove(entry);
      }
    },
  };
}
