import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { DownloadRecord, JobOutcome, PendingRecord, RecordStatus, RecordType } from '../contract/records.ts';
import type { ContentParameters } from '../contract/kinds/imgnet-content.ts';
import { subjectAbove } from '../contract/subjects.ts';
import { createAccountStore } from './accounts.ts';
import { createJobLists } from './job-lists.ts';
import { createScans } from './scans.ts';
import { upsertOne } from './upsert.ts';

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

/** Records by their ULID, and subjects with the ids of their records. */
export interface RecordStore {
  get(id: string): Promise<DownloadRecord | undefined>;
  /** Writes the record unless one with its id is there. @returns the record that is there now */
  insertIfAbsent(record: PendingRecord): Promise<DownloadRecord>;
  /**
   * Moves a pending record to its final state with its charge, in one conditional write: whoever comes second changes
   * nothing. The charge is then booked to the account that pays, once.
   *
   * @returns the record as it is now
   */
  finish(id: string, outcome: JobOutcome, finishedAt: string): Promise<DownloadRecord>;
  /** Notes that a provider is about to be asked for a part. @returns false when the record has ended: it must not be asked */
  noteProviderAsked(id: string, part: string): Promise<boolean>;
  /** The provider has begun nothing: the part costs nothing. */
  noteProviderRefused(id: string, part: string): Promise<void>;
  /** Notes on a success that its files were removed; the first time stays. @param at ISO 8601 with microseconds */
  noteFilesRemoved(id: string, at: string): Promise<void>;
  latestOf(subjectId: string): Promise<DownloadRecord | undefined>;
  successOf(subjectId: string): Promise<DownloadRecord | undefined>;
  failureOf(subjectId: string): Promise<DownloadRecord | undefined>;
  /**
   * The newest success of a subject and of those below it; without one, their newest job. Only for subjects that
   * {@link subjectAbove} names.
   */
  newestBelow(subjectId: string): Promise<DownloadRecord | undefined>;
  noteLatest(record: DownloadRecord): Promise<void>;
  /** Makes the record the success of its subject, and of the subject that this one stands for. */
  noteSuccess(record: DownloadRecord): Promise<void>;
  noteFailure(record: DownloadRecord): Promise<void>;
  /** Notes beside which record the contents lie that a provider sent for a subject. */
  noteContents(subjectId: string, recordId: string): Promise<void>;
  /** @returns that record, and when it was noted, in milliseconds since 1970 */
  contentsOf(subjectId: string): Promise<{ readonly recordId: string; readonly keptAtMs: number } | undefined>;
  /** Notes whose post a subject is about. */
  noteOwner(subjectId: string, account: string): Promise<void>;
  ownerOf(subjectId: string): Promise<string | undefined>;
  /** Takes the owner's profile out of what a pending content costs: it will not be charged. May be repeated. */
  leaveOutProfile(id: string): Promise<void>;
  /** Notes that a subject is another name for a second one. */
  noteSameAs(subjectId: string, canonicalId: string): Promise<void>;
  /** @returns the subject that this one stands for, itself unless another was noted lately (a handle may change hands) */
  canonicalOf(subjectId: string): Promise<string>;
  /**
   * Makes a record the one that fetches a subject which several subject IDs stand for, unless another one does.
   *
   * @param stands whether an earlier record keeps that role
   * @returns the other record; undefined when the role is ours
   */
  claimFetching(
    canonicalId: string,
    recordId: string,
    stands: (record: DownloadRecord) => Promise<boolean>,
  ): Promise<DownloadRecord | undefined>;
  /** A page of records, newest first; what operators and callers list may scan. */
  list(filter: RecordFilter): Promise<readonly DownloadRecord[]>;
}

export interface RecordFilter {
  readonly type?: RecordType | undefined;
  readonly status?: RecordStatus | undefined;
  readonly mediaId?: string | undefined;
  /** ISO 8601 with microseconds, inclusive. */
  readonly createdAfter?: string | undefined;
  /** The same, exclusive. */
  readonly createdBefore?: string | undefined;
  /** Only what neither a key nor a service of ours has started, as far as is known. */
  readonly isWithoutKey?: boolean;
  /** Only these records. */
  readonly ids?: readonly string[] | undefined;
  /** Only records with a smaller id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

const SAME_AS_MS = 3_600_000;

/** The record store on a MongoDB-wire server: equality on `_id` only, single-document writes only. */
export function createRecordStore(db: Db): RecordStore {
  const accounts = createAccountStore(db);
  const records: Collection<RecordDocument> = db.collection('records');
  const subjects: Collection<SubjectDocument> = db.collection('subjects');
  const lists = createJobLists(db);
  const scans = createScans();

  const get = async (id: string): Promise<DownloadRecord | undefined> => {
    const document = await records.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const subjectRecord = async (
    subjectId: string,
    field: 'latestId' | 'successId' | 'failedId',
  ): Promise<DownloadRecord | undefined> => {
    const id = (await subjects.findOne({ _id: subjectId }))?.[field];
    return id === undefined ? undefined : get(id);
  };

  const point = async (subjectId: string, pointers: Omit<SubjectDocument, '_id'>): Promise<void> => {
    await upsertOne(subjects, subjectId, { $set: pointers });
  };

  const canonicalOf = async (subjectId: string): Promise<string> => {
    const sameAs = (await subjects.findOne({ _id: subjectId }))?.sameAs;
    return sameAs !== undefined && Date.now() < sameAs.foundAtMs + SAME_AS_MS ? sameAs.subjectId : subjectId;
  };

  return {
    get,
    async insertIfAbsent(record) {
      const { id, ...fields } = record;
      const inserted = fromDocument(await upsertOne(records, id, { $setOnInsert: fields }));
      const above = subjectAbove(inserted);
      if (above !== undefined) await lists.add(above, id);
      return inserted;
    },
    async finish(id, outcome, finishedAt) {
      const current = present(await get(id), id);
      if (current.status === 'pending') {
        const change =
          outcome.status === 'success'
            ? { status: 'success' as const, files: [], charge: current.price, ...outcome.result, finishedAt }
            : { status: 'failed' as const, failure: outcome.failure, finishedAt };
        await records.updateOne({ _id: id, status: 'pending' }, { $set: change });
      }
      const ended = present(await get(id), id);
      // Here, so that no way of ending a record forgets it; also when it had ended before: whoever did may have died.
      await accounts.captureHold(ended);
      return ended;
    },
    async noteProviderAsked(id, part) {
      const asked = { $set: { [`providerAsked.${part}`]: true } } as UpdateFilter<RecordDocument>;
      return (await records.updateOne({ _id: id, status: 'pending' }, asked)).matchedCount === 1;
    },
    async noteProviderRefused(id, part) {
      const refused = { $unset: { [`providerAsked.${part}`]: '' } } as UpdateFilter<RecordDocument>;
      await records.updateOne({ _id: id, status: 'pending' }, refused);
    },
    async noteFilesRemoved(id, at) {
      const record = await get(id);
      if (record?.status !== 'success' || record.filesRemovedAt !== undefined) return;
      await records.updateOne({ _id: id }, { $set: { filesRemovedAt: at } });
    },
    latestOf: (subjectId) => subjectRecord(subjectId, 'latestId'),
    successOf: (subjectId) => subjectRecord(subjectId, 'successId'),
    failureOf: (subjectId) => subjectRecord(subjectId, 'failedId'),
    async newestBelow(subjectId) {
      let newest: DownloadRecord | undefined;
      for (const id of await lists.newestFirst(subjectId)) {
        const record = await get(id);
        if (record?.status === 'success') return record;
        newest ??= record;
      }
      return newest;
    },
    noteLatest: ({ subjectId, id }) => point(subjectId, { latestId: id }),
    async noteSuccess({ subjectId, id }) {
      await point(subjectId, { successId: id });
      const canonicalId = await canonicalOf(subjectId);
      if (canonicalId !== subjectId) await point(canonicalId, { successId: id });
    },
    noteFailure: ({ subjectId, id }) => point(subjectId, { failedId: id }),
    noteContents: (subjectId, recordId) => point(subjectId, { contents: { recordId, keptAtMs: Date.now() } }),
    noteOwner: (subjectId, owner) => point(subjectId, { owner }),
    ownerOf: async (subjectId) => (await subjects.findOne({ _id: subjectId }))?.owner,
    async leaveOutProfile(id) {
      const record = await get(id);
      const { profilePrice = 0 } = (record?.parameters ?? {}) as Partial<ContentParameters>;
      if (record === undefined || profilePrice === 0) return;
      const { price } = record;
      const change = { price: price - profilePrice, 'parameters.profilePrice': 0 };
      await records.updateOne({ _id: id, status: 'pending', price }, { $set: change });
    },
    contentsOf: async (subjectId) => (await subjects.findOne({ _id: subjectId }))?.contents,
    noteSameAs: (subjectId, canonicalId) =>
      point(subjectId, { sameAs: { subjectId: canonicalId, foundAtMs: Date.now() } }),
    canonicalOf,
    async claimFetching(canonicalId, recordId, stands) {
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
    async list({ limit, before, ids, type, status, mediaId, createdAfter, createdBefore, isWithoutKey = false }) {
      const filter: Filter<RecordDocument> = {
        ...(before === undefined ? {} : { _id: { $lt: before } }),
        ...(ids === undefined ? {} : { _id: { $in: [...ids] } }),
        ...(type === undefined ? {} : { type }),
        ...(status === undefined ? {} : { status }),
        ...(mediaId === undefined ? {} : { mediaId }),
        ...(isWithoutKey ? { chargedTo: { $exists: false }, startedBy: { $ne: 'service' } } : {}),
        ...(createdAfter === undefined && createdBefore === undefined
          ? {}
          : {
              createdAt: {
                ...(createdAfter === undefined ? {} : { $gte: createdAfter }),
                ...(createdBefore === undefined ? {} : { $lt: createdBefore }),
              },
            }),
      };
      return (await scans(records, { filter, limit })).map(fromDocument);
    },
  };
}

function fromDocument({ _id, ...fields }: RecordDocument): DownloadRecord {
  // The discriminated union survives the renaming of one field, which the type system can't see.
  return { id: _id, ...fields } as DownloadRecord;
}

function present(record: DownloadRecord | undefined, id: string): DownloadRecord {
  if (record === undefined) throw new Error(`record ${id} is missing`);
  return record;
}
