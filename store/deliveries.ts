import type { Collection, Db } from 'mongodb';
import type { DeliveryAttempt, DeliveryState } from '../contract/webhooks.ts';
import { upsert } from './upsert.ts';

/** The delivery of one result to one URL, with every attempt. */
export interface Delivery {
  readonly id: string;
  readonly recordId: string;
  readonly url: string;
  readonly endpoint: string;
  readonly state: DeliveryState;
  readonly createdAt: string;
  /** In the order of their numbers. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** Attempts are keyed by their number: a repeated write of one attempt changes nothing. */
type DeliveryDocument = Omit<Delivery, 'id' | 'attempts'> & {
  _id: string;
  attempts?: Record<string, DeliveryAttempt>;
};

export interface DeliveryStore {
  get(id: string): Promise<Delivery | undefined>;
  ofRecord(recordId: string): Promise<readonly Delivery[]>;
  open(delivery: Omit<Delivery, 'state' | 'attempts'>): Promise<Delivery>;
  recordAttempt(id: string, attempt: DeliveryAttempt, state: DeliveryState): Promise<void>;
}

export function createDeliveryStore(db: Db): DeliveryStore {
  const deliveries: Collection<DeliveryDocument> = db.collection('deliveries');
  const get = async (id: string): Promise<Delivery | undefined> => {
    const document = await deliveries.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  return {
    get,
    async ofRecord(recordId) {
      return (await deliveries.find({ recordId }).toArray()).map(fromDocument);
    },
    async open({ id, ...fields }) {
      await upsert(() =>
        deliveries.updateOne({ _id: id }, { $setOnInsert: { ...fields, state: 'pending' as const } }, { upsert: true }),
      );
      const delivery = await get(id);
      if (delivery === undefined) throw new Error(`delivery ${id} is missing`);
      return delivery;
    },
    async recordAttempt(id, attempt, state) {
      await deliveries.updateOne({ _id: id }, { $set: { [`attempts.${String(attempt.number)}`]: attempt, state } });
    },
  };
}

function fromDocument({ _id, attempts, ...fields }: DeliveryDocument): Delivery {
  const ordered = Object.values(attempts ?? {}).sort((a, b) => a.number - b.number);
  return { id: _id, ...fields, attempts: ordered };
}
