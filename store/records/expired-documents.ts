import type { Collection, Db } from 'mongodb';
import { encodeTime } from 'ulid';
import type { Delivery } from '../../contract/http/webhook-delivery.ts';
import { SCAN_TIMEOUT_MS } from '../mongo/scans.ts';

/** What is kept for a time of its own beside the files. */
export const keptKinds = ['contents', 'deliveries', 'snapshots', 'failed'] as const;
export type KeptKind = (typeof keptKinds)[number];

/** A page of documents by their ids. */
export interface ExpiredPage {
  /** What belongs to each record of it, in the order of their ids. */
  readonly records: ReadonlyMap<string, readonly string[]>;
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

interface Ids {
  readonly _id: string;
}
type DeliveryDocument = Ids & Pick<Delivery, 'state' | 'createdAt'>;

/** The first characters of what a ULID of that length begins with, which tell its time. */
const TIME_CHARS = 10;
const PAGE = 500;
const DELIVERY_PREFIX = 'webhook/';

/** Documents that belong to old records, found by the times in their ids: all begin with the id of the record. */
export type ExpiredDocuments = ReturnType<typeof createExpiredDocuments>;

export function createExpiredDocuments(db: Db) {
  const collections = {
    contents: db.collection<Ids>('contents'),
    deliveries: db.collection<DeliveryDocument>('deliveries'),
    snapshots: db.collection<Ids & { readonly snapshotId?: string }>('snapshots'),
    failed: db.collection<Ids & { readonly status: string }>('records'),
  };
  const holders = db.collection<Ids>('snapshot_holders');
  const receivers = db.collection<Ids>('receivers');

  const idsBetween = async (
    kind: KeptKind | 'receivers',
    after: string,
    before: string,
  ): Promise<readonly string[]> => {
    // The documents themselves are no part of it: contents are large.
    const all = { ...collections, receivers };
    const collection = all[kind] as Collection<Ids & { readonly status?: string }>;
    const range = { _id: { $gt: after, $lt: before } };
    const options = { projection: { _id: 1 }, maxTimeMS: SCAN_TIMEOUT_MS };
    const filter = kind === 'failed' ? { status: 'failed', ...range } : range;
    const found = await collection.find(filter, options).sort({ _id: 1 }).limit(PAGE).toArray();
    return found.map(({ _id }) => _id);
  };
  const removeAll = async (kind: KeptKind, recordId: string): Promise<void> => {
    const prefix = (kind === 'deliveries' ? DELIVERY_PREFIX : '') + recordId;
    for (;;) {
      const ids = await idsBetween(kind, `${prefix}/`, `${prefix}/~`);
      for (const id of ids) await remove(kind, id);
      if (ids.length < PAGE) break;
    }
    await remove(kind, prefix);
  };
  const remove = async (kind: KeptKind, id: string): Promise<void> => {
    if (kind === 'deliveries' && !id.startsWith(DELIVERY_PREFIX)) {
      await receivers.deleteOne({ _id: id });
      return;
    }
    if (kind === 'snapshots') {
      const snapshotId = (await collections.snapshots.findOne({ _id: id }))?.snapshotId;
      // First, or nobody would ever find it.
      if (snapshotId !== undefined) await holders.deleteOne({ _id: snapshotId });
    }
    if (kind === 'failed') {
      for (const other of ['contents', 'deliveries', 'snapshots'] as const) await removeAll(other, id);
      await receivers.deleteOne({ _id: id });
    }
    await (collections[kind] as Collection<Ids>).deleteOne({ _id: id });
  };

  /** Of records: their receivers, which hold URLs as deliveries do. Not all of them have come to a delivery. */
  const pageOfReceivers = async (after: string, beforeMs: number): Promise<ExpiredPage> => {
    const ids = await idsBetween('receivers', after, encodeTime(beforeMs, TIME_CHARS));
    const records = new Map(ids.map((id) => [id, [id]]));
    return { records, next: ids.length === PAGE ? (ids.at(-1) ?? DELIVERY_PREFIX) : DELIVERY_PREFIX };
  };

  return {
    /**
     * Those of deliveries begin with the pages of receivers, whose ids come first in order.
     *
     * @param page.after `next` of the page before
     * @param page.beforeMs only of records that were accepted earlier: milliseconds since 1970
     */
    async page(
      kind: KeptKind,
      { after, beforeMs }: { after?: string | undefined; beforeMs: number },
    ): Promise<ExpiredPage> {
      const prefix = kind === 'deliveries' ? DELIVERY_PREFIX : '';
      if (!(after ?? '').startsWith(prefix)) return pageOfReceivers(after ?? '', beforeMs);
      const ids = await idsBetween(kind, after ?? prefix, prefix + encodeTime(beforeMs, TIME_CHARS));
      const records = new Map<string, string[]>();
      for (const id of ids) {
        const [recordId = ''] = id.slice(prefix.length).split('/', 1);
        records.set(recordId, [...(records.get(recordId) ?? []), id]);
      }
      const next = ids.length === PAGE ? ids.at(-1) : undefined;
      return { records, ...(next === undefined ? {} : { next }) };
    },
    /** With what belongs to it. May be repeated. */
    remove,
    /** Whether a delivery is over; what is not there is. */
    isDelivered: async (id: string): Promise<boolean> =>
      (await collections.deliveries.findOne({ _id: id }))?.state !== 'pending',
  };
}
