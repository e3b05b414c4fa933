import type { Collection, Db, Filter } from 'mongodb';
import {
  deliveryIdOf,
  LATE_SUBSCRIBERS_FROM,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryState,
} from '../../contract/http/webhook-delivery.ts';
import { createScans } from '../mongo/scans.ts';
import { upsertOne } from '../mongo/upsert.ts';

/** Attempts are stored by number, so that a repeated write of one attempt changes nothing. */
type DeliveryDocument = Omit<Delivery, 'id' | 'attempts'> & {
  _id: string;
  attempts?: Record<string, DeliveryAttempt>;
};

interface DeliveryFilter {
  readonly subscribedBy?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** First attempts may start in another order than their numbers, so only an empty block of IDs ends the search. */
const BLOCK = 16;

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export function createDeliveryStore(db: Db) {
  const deliveries: Collection<DeliveryDocument> = db.collection('deliveries');
  const scans = createScans();
  const get = async (id: string): Promise<Delivery | undefined> => {
    const document = await deliveries.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const deliveriesIn = async (recordId: string, start: number, end: number): Promise<readonly Delivery[]> => {
    const found: Delivery[] = [];
    for (let first = start; first < end; first += BLOCK) {
      // One query per ID, because the embedded server finds one `_id` by its index but scans for several.
      const numbers = Array.from({ length: Math.min(BLOCK, end - first) }, (_, index) => first + index);
      const block = await Promise.all(numbers.map((number) => get(deliveryIdOf(recordId, number))));
      const present = block.filter((delivery) => delivery !== undefined);
      found.push(...present);
      if (present.length === 0) break;
    }
    return found;
  };
  return {
    get,
    async ofRecord(recordId: string): Promise<readonly Delivery[]> {
      return [
        ...(await deliveriesIn(recordId, 1, LATE_SUBSCRIBERS_FROM)),
        ...(await deliveriesIn(recordId, LATE_SUBSCRIBERS_FROM, Infinity)),
      ];
    },
    /** @returns a page, greatest ID first, which means the newest records. It may scan the collection. */
    async list({ subscribedBy, state, before, limit }: DeliveryFilter): Promise<readonly Delivery[]> {
      // The driver ignores undefined fields (mongo-client.ts).
      const _id = before === undefined ? undefined : { $lt: before };
      const filter = { state, _id, subscribedBy } as Filter<DeliveryDocument>;
      return (await scans(deliveries, { filter, limit })).map(fromDocument);
    },
    async open({ id, ...fields }: Omit<Delivery, 'state' | 'attempts'>): Promise<Delivery> {
      return fromDocument(await upsertOne(deliveries, id, { $setOnInsert: { ...fields, state: 'pending' } }));
    },
    /** Makes a delivery pending for another round, unless the first attempt of that round is stored. */
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
