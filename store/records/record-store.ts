import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type {
  DownloadRecord,
  JobOutcome,
  PendingRecord,
  RecordStatus,
  RecordType,
} from '../../contract/download-record.ts';
import type { ContentParameters } from '../../contract/kinds/imgnet-content.ts';
import type { Thousandths } from '../../contract/money.ts';
import { subjectAbove } from '../../contract/kinds/subjects.ts';
import { isWithin } from '../../contract/within.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { createEndedRecords } from './ended-record-cache.ts';
import { createJobLists } from './job-lists.ts';
import { createScans } from '../mongo/scans.ts';
import { upsertOne } from '../mongo/upsert.ts';

type RecordDocument = Omit<DownloadRecord, 'id'> & { _id: string };
interface SubjectDocument {
  /** Subject ID. */
  _id: string;
  /** The record of the newest job. */
  latestId?: string;
  /** The record of the newest job that succeeded. */
  successId?: string;
  /** The record of the newest job that failed. */
  failedId?: string;
  /** The record whose job fetches what several subject IDs stand for. */
  fetcherId?: string;
  /** Another subject ID of the same thing (a channel's handle and its id), and when that was found out. */
  sameAs?: { readonly subjectId: string; readonly foundAtMs: number };
  /** The record beside which the newest contents lie that a provider sent for it, however their job ended, and since when. */
  contents?: { readonly recordId: string; readonly keptAtMs: number };
  /** The account whose post it is, as the platform has told. */
  owner?: string;
}

export interface RecordFilter {
  readonly type?: RecordType | undefined;
  readonly status?: RecordStatus | undefined;
  readonly mediaId?: string | undefined;
  /** ISO 8601 with microseconds, inclusive. */
  readonly createdAfter?: string | undefined;
  /** The same, exclusive. */
  readonly createdBefore?: string | undefined;
  /** Only what is pending, or has ended at this time or later: the same. */
  readonly openSince?: string | undefined;
  /** Only what neither a key nor a service of ours has started, as far as is known. */
  readonly isWithoutKey?: boolean;
  /** Only these records. */
  readonly ids?: readonly string[] | undefined;
  /** Only records with a smaller id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

const SAME_AS_MS = 3_600_000;

/** Records by their ULID, and subjects with the ids of their records. */
export type RecordStore = ReturnType<typeof createRecordStore>;

/** The record store on a MongoDB-wire server: equality on `_id` only, single-document writes only. */
export function createRecordStore(db: Db) {
  const accounts = createAccountStore(db);
  const records: Collection<RecordDocument> = db.collection('records');
  const subjects: Collection<SubjectDocument> = db.collection('subjects');
  const lists = createJobLists(db);
  const scans = createScans();
  const justEnded = createEndedRecords();

  const get = async (id: string): Promise<DownloadRecord | undefined> => {
    const document = await records.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const getIfAny = (id: string | undefined) => (id === undefined ? undefined : get(id));
  const subjectRecord = async (
    subjectId: string,
    field: 'latestId' | 'successId' | 'failedId',
  ): Promise<DownloadRecord | undefined> => getIfAny((await subjects.findOne({ _id: subjectId }))?.[field]);

  const point = (subjectId: string, pointers: Omit<SubjectDocument, '_id'>): Promise<SubjectDocument> =>
    upsertOne(subjects, subjectId, { $set: pointers });
  const note = async (...change: Parameters<typeof point>): Promise<void> => {
    await point(...change);
  };
  const priceOf = async (id: string): Promise<Thousandths> => present(await get(id), id).price;

  return {
    get,
    /** The same of a record that has ended: without a look where this process has seen that just now. */
    getEnded: async (id: string) => justEnded.get(id) ?? get(id),
    /** Writes the record unless one with its id is there; its webhook in any case. @returns the record that is there now */
    async insertIfAbsent(record: PendingRecord): Promise<DownloadRecord> {
      const { id, webhookUrl, ...fields } = record;
      // Who joins a job does not know the webhook that it was started with, and may come first.
      const change = { $setOnInsert: fields, ...(webhookUrl !== undefined && { $set: { webhookUrl } }) };
      const inserted = fromDocument(await upsertOne(records, id, change as UpdateFilter<RecordDocument>));
      const above = subjectAbove(inserted);
      if (above !== undefined) await lists.add(above, id);
      return inserted;
    },
    /**
     * Moves a pending record to its final state with its charge, in one conditional write: whoever comes second changes
     * nothing. The charge is then booked to the account that pays, once.
     *
     * @returns the record as it is now
     */
    async finish(id: string, outcome: JobOutcome, finishedAt: string): Promise<DownloadRecord> {
      const change =
        outcome.status === 'success'
          ? {
              status: 'success' as const,
              files: [],
              charge: outcome.result.charge ?? (await priceOf(id)),
              ...outcome.result,
              finishedAt,
            }
          : { status: 'failed' as const, failure: outcome.failure, finishedAt };
      const pending = { _id: id, status: 'pending' } as const;
      const changed = await records.findOneAndUpdate(pending, { $set: change }, { returnDocument: 'after' });
      const ended = changed === null ? present(await get(id), id) : fromDocument(changed);
      // Here, so that no way of ending a record forgets it; also when it had ended before: whoever did may have died.
      await accounts.captureHold(ended);
      return justEnded.keep(ended);
    },
    /** Notes that a provider is about to be asked for a part. @returns false when the record has ended: it must not be asked */
    async recordProviderCall(id: string, part: string): Promise<boolean> {
      const asked = { $set: { [`providerCalls.${part}`]: true } } as UpdateFilter<RecordDocument>;
      return (await records.updateOne({ _id: id, status: 'pending' }, asked)).matchedCount === 1;
    },
    /** The provider has begun nothing: the part costs nothing. */
    async noteProviderRefused(id: string, part: string): Promise<void> {
      const refused = { $unset: { [`providerCalls.${part}`]: '' } } as UpdateFilter<RecordDocument>;
      await records.updateOne({ _id: id, status: 'pending' }, refused);
    },
    /** Notes on a success that its files were removed; the first time stays. @param at ISO 8601 with microseconds */
    async noteFilesRemoved(id: string, at: string): Promise<void> {
      const record = await get(id);
      if (record?.status !== 'success' || record.filesRemovedAt !== undefined) return;
      await records.updateOne({ _id: id }, { $set: { filesRemovedAt: at } });
    },
    /** The same of what was kept beside it. */
    async noteContentsRemoved(id: string, at: string): Promise<void> {
      const record = await get(id);
      if (record?.status !== 'success' || record.contentsRemovedAt !== undefined) return;
      await records.updateOne({ _id: id }, { $set: { contentsRemovedAt: at } });
    },
    /** The newest job of a subject, and its newest success: often the same record. */
    async standingOf(subjectId: string) {
      const { latestId, successId } = (await subjects.findOne({ _id: subjectId })) ?? {};
      const [latest, other] = await Promise.all([
        getIfAny(latestId),
        successId === latestId ? undefined : getIfAny(successId),
      ]);
      return { latest, success: successId === latestId ? latest : other };
    },
    latestOf: (subjectId: string): Promise<DownloadRecord | undefined> => subjectRecord(subjectId, 'latestId'),
    successOf: (subjectId: string): Promise<DownloadRecord | undefined> => subjectRecord(subjectId, 'successId'),
    failureOf: (subjectId: string): Promise<DownloadRecord | undefined> => subjectRecord(subjectId, 'failedId'),
    /**
     * The newest success of a subject and of those below it; without one, their newest job. Only for subjects that
     * {@link subjectAbove} names.
     */
    async newestBelow(subjectId: string): Promise<DownloadRecord | undefined> {
      let newest: DownloadRecord | undefined;
      for (const id of await lists.newestFirst(subjectId)) {
        const record = await get(id);
        if (record?.status === 'success') return record;
        newest ??= record;
      }
      return newest;
    },
    /** The ids of the newest job of a subject, and of the newest that succeeded. */
    async pointersOf(subjectId: string): Promise<Pick<SubjectDocument, 'latestId' | 'successId'>> {
      return (await subjects.findOne({ _id: subjectId })) ?? {};
    },
    /** @returns the id of the newest success of the subject, as it is after this change */
    noteLatest: async ({ subjectId, id }: Pick<DownloadRecord, 'subjectId' | 'id'>): Promise<string | undefined> =>
      (await point(subjectId, { latestId: id })).successId,
    /** Makes the record the success of its subject, and of the subject that this one stands for. */
    async noteSuccess({ subjectId, id }: DownloadRecord): Promise<void> {
      const canonicalId = canonicalIn(await point(subjectId, { successId: id }));
      if (canonicalId !== subjectId) await note(canonicalId, { successId: id });
    },
    noteFailure: ({ subjectId, id }: DownloadRecord): Promise<void> => note(subjectId, { failedId: id }),
    /** Notes beside which record the contents lie that a provider sent for a subject. */
    noteContents: (subjectId: string, recordId: string): Promise<void> =>
      note(subjectId, { contents: { recordId, keptAtMs: Date.now() } }),
    /** Notes whose post a subject is about. */
    noteOwner: (subjectId: string, owner: string): Promise<void> => note(subjectId, { owner }),
    ownerOf: async (subjectId: string) => (await subjects.findOne({ _id: subjectId }))?.owner,
    /** Takes the owner's profile out of what a pending content costs: it will not be charged. May be repeated. */
    async leaveOutProfile(id: string): Promise<void> {
      const record = await get(id);
      const { profilePrice = 0 } = (record?.parameters ?? {}) as Partial<ContentParameters>;
      if (record === undefined || profilePrice === 0) return;
      const { price } = record;
      const change = { price: price - profilePrice, 'parameters.profilePrice': 0 };
      await records.updateOne({ _id: id, status: 'pending', price }, { $set: change });
    },
    /** @returns that record, and when it was noted, in milliseconds since 1970 */
    contentsOf: async (subjectId: string) => (await subjects.findOne({ _id: subjectId }))?.contents,
    /** Notes that a subject is another name for a second one. */
    noteSameAs: (subjectId: string, canonicalId: string): Promise<void> =>
      note(subjectId, { sameAs: { subjectId: canonicalId, foundAtMs: Date.now() } }),
    /** @returns the subject that this one stands for, itself unless another was noted lately (a handle may change hands) */
    canonicalOf: async (subjectId: string): Promise<string> =>
      canonicalIn((await subjects.findOne({ _id: subjectId })) ?? { _id: subjectId }),
    /**
     * Makes a record the one that fetches a subject which several subject IDs stand for, unless another one does.
     *
     * @param stands whether an earlier record keeps that role
     * @returns the other record; undefined when the role is ours
     */
    async claimFetching(
      canonicalId: string,
      recordId: string,
      stands: (record: DownloadRecord) => Promise<boolean>,
    ): Promise<DownloadRecord | undefined> {
      for (;;) {
        const { fetcherId } = await upsertOne(subjects, canonicalId, { $setOnInsert: { fetcherId: recordId } });
        if (fetcherId === recordId) return undefined;
        const fetcher = fetcherId === undefined ? undefined : await get(fetcherId);
        if (fetcher !== undefined && (await stands(fetcher))) return fetcher;
        // Whoever comes second finds the field changed, and looks again.
        const { matchedCount } = await subjects.updateOne(
          { _id: canonicalId, fetcherId: fetcherId ?? { $exists: false } },
          { $set: { fetcherId: recordId } },
        );
        if (matchedCount === 1) return undefined;
      }
    },
    /** A page of records, newest first; what operators and callers list may scan. */
    async list({ limit, before, ids, createdAfter, createdBefore, openSince, ...told }: RecordFilter) {
      const { isWithoutKey, ...same } = told;
      // What is undefined is not sent (mongo.ts).
      const filter = {
        ...same,
        ...(before !== undefined && { _id: { $lt: before } }),
        ...(ids && { _id: { $in: [...ids] } }),
        ...(openSince !== undefined && { $or: [{ status: 'pending' }, { finishedAt: { $gte: openSince } }] }),
        ...(isWithoutKey === true && { chargedTo: { $exists: false }, startedBy: { $ne: 'service' } }),
        ...((createdAfter ?? createdBefore) && { createdAt: { $gte: createdAfter, $lt: createdBefore } }),
      } as Filter<RecordDocument>;
      return (await scans(records, { filter, limit })).map(fromDocument);
    },
  };
}

function canonicalIn({ _id, sameAs }: SubjectDocument): string {
  return sameAs !== undefined && isWithin(sameAs.foundAtMs, SAME_AS_MS, Date.now()) ? sameAs.subjectId : _id;
}

function fromDocument({ _id, ...fields }: RecordDocument): DownloadRecord {
  // The discriminated union survives the renaming of one field, which the type system can't see.
  return { id: _id, ...fields } as DownloadRecord;
}

function present(record: DownloadRecord | undefined, id: string): DownloadRecord {
  if (record === undefined) throw new Error(`record ${id} is missing`);
  return record;
}
