import type { Collection, Db } from 'mongodb';
import { encodeTime } from 'ulid';
import type { StoredBatch } from '../../contract/batches/batch-state.ts';
import type { Delivery } from '../../contract/http/webhook-delivery.ts';
import { optional } from '../../runtime/optional.ts';
import { SCAN_TIMEOUT_MS } from '../mongo/scans.ts';

export type KeptKind = 'contents' | 'deliveries' | 'snapshots' | 'failed' | 'batches';

interface Ids {
  readonly _id: string;
}

/** The leading characters of a ULID that encode its time. */
const TIME_CHARS = 10;
const PAGE = 500;
const DELIVERY_PREFIX = 'webhook/';

export type ExpiredDocuments = ReturnType<typeof createExpiredDocuments>;

export function createExpiredDocuments(db: Db) {
  const deliveries = db.collection<Ids & Pick<Delivery, 'state'>>('deliveries');
  const snapshots = db.collection<Ids & { readonly snapshotId?: string }>('snapshots');
  const holders = db.collection<Ids>('snapshot_holders');
  const receivers = db.collection<Ids>('receivers');
  const batches = db.collection<Ids & Pick<StoredBatch, 'finishedAt'>>('batches');
  const pieces = db.collection<Ids>('batch_pieces');
  const collectionOf = (kind: KeptKind | 'receivers' | 'batch_pieces') =>
    db.collection(kind === 'failed' ? 'records' : kind) as unknown as Collection<Ids & { readonly status?: string }>;

  const idsBetween = async (kind: Parameters<typeof collectionOf>[0], after: string, before: string) => {
    const filter = { ...(kind === 'failed' && { status: 'failed' }), _id: { $gt: after, $lt: before } };
    // Only IDs are read, because contents are large.
    const options = { projection: { _id: 1 }, maxTimeMS: SCAN_TIMEOUT_MS };
    const found = await collectionOf(kind).find(filter, options).sort({ _id: 1 }).limit(PAGE).toArray();
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
      const snapshotId = (await snapshots.findOne({ _id: id }))?.snapshotId;
      // The holder is only found through the snapshot, so it is removed first.
      if (snapshotId !== undefined) await holders.deleteOne({ _id: snapshotId });
    }
    if (kind === 'batches') {
      for (const piece of await idsBetween('batch_pieces', `${id}/`, `${id}/~`)) await pieces.deleteOne({ _id: piece });
    }
    if (kind === 'failed') {
      for (const other of ['contents', 'deliveries', 'snapshots'] as const) await removeAll(other, id);
      await receivers.deleteOne({ _id: id });
    }
    await collectionOf(kind).deleteOne({ _id: id });
  };

  return {
    /**
     * The pages of deliveries begin with webhook subscriptions (`receivers`), which also contain URLs.
     * @returns IDs by record, and the start of the next page, which is absent on the last one
     */
    async page(kind: KeptKind, { after = '', beforeMs }: { after?: string | undefined; beforeMs: number }) {
      const isSubscriptions = kind === 'deliveries' && !after.startsWith(DELIVERY_PREFIX);
      const prefix = kind === 'deliveries' && !isSubscriptions ? DELIVERY_PREFIX : '';
      const before = prefix + encodeTime(beforeMs, TIME_CHARS);
      const ids = await idsBetween(isSubscriptions ? 'receivers' : kind, after, before);
      const records = new Map<string, string[]>();
      for (const id of ids) {
        const [recordId = ''] = id.slice(prefix.length).split('/', 1);
        records.set(recordId, [...(records.get(recordId) ?? []), id]);
      }
      const next = ids.length === PAGE ? ids.at(-1) : isSubscriptions ? DELIVERY_PREFIX : undefined;
      return { records, ...optional('next', next) };
    },
    remove,
    /** Removes what is stored of a record or batch. */
    removeAll,
    /** Whether a batch ended before a time. It counts as running while it is retried. */
    async isBatchEnded(id: string, beforeMs: number): Promise<boolean> {
      const { finishedAt } = (await batches.findOne({ _id: id })) ?? {};
      return finishedAt !== undefined && Date.parse(finishedAt) < beforeMs;
    },
    /** Whether a delivery has ended or is gone. */
    isDelivered: async (id: string): Promise<boolean> => (await deliveries.findOne({ _id: id }))?.state !== 'pending',
  };
}
