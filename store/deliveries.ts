import type { Collection, Db, Filter } from 'mongodb';
import {
  deliveryIdOf,
  LATE_SUBSCRIBERS_FROM,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryState,
} from '../contract/webhooks.ts';
import { createScans } from './scans.ts';
import { upsertOne } from './upsert.ts';

/** Attempts are keyed by their number: a repeated write of one attempt changes nothing. */
type DeliveryDocument = Omit<Delivery, 'id' | 'attempts'> & {
  _id: string;
  attempts?: Record<string, DeliveryAttempt>;
};

export interface DeliveryFilter {
  /** Only those for which this caller asked. */
  readonly subscribedBy?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Only deliveries with a smaller id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/**
 * How many ids of a record's deliveries are looked up at once. Subscribers are numbered without gaps, but for those who were
 * late, and their first attempts need not begin in that order: a gap as wide as this ends the search.
 */
const AT_ONCE = 16;

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export function createDeliveryStore(db: Db) {
  const deliveries: Collection<DeliveryDocument> = db.collection('deliveries');
  const scans = createScans();
  const get = async (id: string): Promise<Delivery | undefined> => {
    const document = await deliveries.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const deliveriesFrom = async (recordId: string, start: number): Promise<readonly Delivery[]> => {
    const found: Delivery[] = [];
    for (let first = start; ; first += AT_ONCE) {
      // One by one: the embedded server looks up a single `_id`, and reads everything for several.
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      const block = await Promise.all(numbers.map((number) => get(deliveryIdOf(recordId, number))));
      const there = block.filter((delivery) => delivery !== undefined);
      found.push(...there);
      if (there.length === 0) return found;
    }
  };
  return {
    get,
    /** Those that an attempt has begun for, or waits to; a look-up by id each. */
    async ofRecord(recordId: string): Promise<readonly Delivery[]> {
      const from = (first: number) => deliveriesFrom(recordId, first);
      return [...(await from(1)), ...(await from(LATE_SUBSCRIBERS_FROM))];
    },
    /** A page, the greatest id first, so those of the newest downloads; it may scan. */
    async list({ subscribedBy, state, before, limit }: DeliveryFilter): Promise<readonly Delivery[]> {
      // What is undefined is not sent (mongo.ts).
      const filter = {
        state,
        ...(before !== undefined && { _id: { $lt: before } }),
        subscribedBy,
      } as Filter<DeliveryDocument>;
      return (await scans(deliveries, { filter, limit })).map(fromDocument);
    },
    async open({ id, ...fields }: Omit<Delivery, 'state' | 'attempts'>): Promise<Delivery> {
      return fromDocument(await upsertOne(deliveries, id, { $setOnInsert: { ...fields, state: 'pending' } }));
    },
    /** Makes a delivery pending for a further round, unless its first attempt is on record already. */
    async reopen(id: string, firstAttempt: number): Promise<void> {
      await deliveries.updateOne(
        { _id: id, [`attempts.${String(firstAttempt)}`]: { $exists: false } },
        { $set: { state: 'pending', firstAttempt } },
      );
    },
    async recordAttempt(
      id: string,
      attempt: DeliveryAttempt,
      now: { readonly state: DeliveryState; readonly firstAttempt: number },
    ): Promise<void> {
      await deliveries.updateOne({ _id: id }, { $set: { [`attempts.${String(attempt.number)}`]: attempt, ...now } });
    },
  };
}

function fromDocument({ _id, attempts, ...fields }: DeliveryDocument): Delivery {
  const ordered = Object.values(attempts ?? {}).sort((a, b) => a.number - b.number);
  return { id: _id, ...fields, attempts: ordered };
}
