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
import { coalesce } from '../../runtime/coalesce.ts';
import { createRecentCache } from '../../runtime/recent-cache.ts';
import { createAccountStore } from '../accounts/account-store.ts';
import { createJobLists } from './job-lists.ts';
import { createScans } from '../mongo/scans.ts';
import { createTimedIds } from '../mongo/timed-ids.ts';
import { upsertOne } from '../mongo/upsert.ts';

type RecordDocument = Omit<DownloadRecord, 'id'> & { _id: string };
interface SubjectDocument {
  _id: string;
  latestId?: string;
  successId?: string;
  failedId?: string;
  /** The record whose job fetches the data of several subject IDs. */
  fetcherId?: string;
  /** Another subject ID of the same thing, such as a channel's ID for its handle, and when that was found. */
  sameAs?: { readonly subjectId: string; readonly foundAtMs: number };
  /** From a provider, even if the job failed. */
  contents?: { readonly recordId: string; readonly keptAtMs: number };
  owner?: string;
}

export interface RecordFilter {
  readonly type?: RecordType | undefined;
  readonly status?: RecordStatus | undefined;
  readonly mediaId?: string | undefined;
  /** ISO 8601 with microseconds, inclusive. */
  readonly createdAfter?: string | undefined;
  /** ISO 8601 with microseconds, exclusive. */
  readonly createdBefore?: string | undefined;
  /** Only records that are pending, or have ended at this time or later; in ISO 8601 with microseconds. */
  readonly openSince?: string | undefined;
  /** Only records that neither a key nor this service itself is known to have started. */
  readonly isWithoutKey?: boolean;
  /** Without records of media info. */
  readonly isWithoutMediaInfo?: boolean;
  readonly ids?: readonly string[] | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const DAY_MS = 24 * 3_600_000;
const ALIAS_VALID_MS = 3_600_000;
/** Webhooks and waiting callers read a record that has ended within milliseconds. It changes days later, when its files go. */
const ENDED_KNOWN_MS = 5_000;

export type RecordStore = ReturnType<typeof createRecordStore>;

export function createRecordStore(db: Db) {
  const accounts = createAccountStore(db);
  const removals = createTimedIds(db, 'planned_removals');
  const records: Collection<RecordDocument> = db.collection('records');
  const subjects: Collection<SubjectDocument> = db.collection('subjects');
  const lists = createJobLists(db);
  const scans = createScans();
  const endedRecords = createRecentCache<DownloadRecord>({ keptMs: ENDED_KNOWN_MS, most: 1_000 });

  const get = async (id: string): Promise<DownloadRecord | undefined> => {
    const document = await records.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const getOnce = coalesce(get);
  const getIfAny = (id: string | undefined) => (id === undefined ? undefined : get(id));
  const getSubject = async (subjectId: string): Promise<SubjectDocument> =>
    (await subjects.findOne({ _id: subjectId })) ?? { _id: subjectId };
  const changeSubject = (subjectId: string, fields: Omit<SubjectDocument, '_id'>): Promise<SubjectDocument> =>
    upsertOne(subjects, subjectId, { $set: fields });
  const noteRemoval = async (id: string, field: 'filesRemovedAt' | 'contentsRemovedAt', at: string): Promise<void> => {
    const record = await get(id);
    if (record?.status !== 'success' || record[field] !== undefined) return;
    await records.updateOne({ _id: id }, { $set: { [field]: at } });
    endedRecords.forget(id);
  };

  return {
    get,
    /** Reads a record, from memory if this process has seen its end within the last seconds. */
    async getKnown(id: string): Promise<DownloadRecord | undefined> {
      const known = endedRecords.get(id);
      if (known !== undefined) return known;
      const record = await getOnce(id);
      return record === undefined || record.status === 'pending' ? record : endedRecords.keep(id, record);
    },
    /** Inserts the record unless it exists, and stores its webhook in any case. @returns the stored record */
    async insertIfAbsent(record: PendingRecord): Promise<DownloadRecord> {
      const { id, webhookUrl, ...fields } = record;
      // A request that joins the job may insert the record first, without knowing the webhook of the one that started it.
      const change = { $setOnInsert: fields, ...(webhookUrl !== undefined && { $set: { webhookUrl } }) };
      const inserted = fromDocument(await upsertOne(records, id, change as UpdateFilter<RecordDocument>));
      const above = subjectAbove(inserted);
      if (above !== undefined) await lists.add(above, id);
      return inserted;
    },
    /** One conditional write, so that a repetition changes nothing. @returns the record as it is now */
    async finish(id: string, outcome: JobOutcome, finishedAt: string): Promise<DownloadRecord> {
      const change =
        outcome.status === 'success'
          ? {
              status: 'success' as const,
              files: [],
              charge: outcome.result.charge ?? present(await get(id), id).price,
              ...outcome.result,
              finishedAt,
            }
          : { status: 'failed' as const, failure: outcome.failure, finishedAt };
      const pending = { _id: id, status: 'pending' } as const;
      const changed = await records.findOneAndUpdate(pending, { $set: change }, { returnDocument: 'after' });
      const ended = changed === null ? present(await get(id), id) : fromDocument(changed);
      // This also runs for a record that had ended before: the process that ended it may have died before it captured.
      await accounts.capture(ended);
      const { keepDays } = ended;
      if (keepDays !== undefined) await removals.add(id, Date.parse(finishedAt) + keepDays * DAY_MS);
      return endedRecords.keep(id, ended);
    },
    /** Records that a provider is about to be called for a part. @returns false when the job has ended and must not call it */
    async recordProviderCall(id: string, part: string): Promise<boolean> {
      const change = { $set: { [`providerCalls.${part}`]: true } } as UpdateFilter<RecordDocument>;
      return (await records.updateOne({ _id: id, status: 'pending' }, change)).matchedCount === 1;
    },
    async noteProviderRefused(id: string, part: string): Promise<void> {
      const change = { $unset: { [`providerCalls.${part}`]: '' } } as UpdateFilter<RecordDocument>;
      await records.updateOne({ _id: id, status: 'pending' }, change);
    },
    /** @param at ISO 8601 with microseconds */
    noteFilesRemoved: (id: string, at: string) => noteRemoval(id, 'filesRemovedAt', at),
    noteContentsRemoved: (id: string, at: string) => noteRemoval(id, 'contentsRemovedAt', at),
    /** Notes that all contents of an ended record are removed. Its title is one of them. */
    async noteAllRemoved(record: DownloadRecord, at: string): Promise<void> {
      const { id: _id, subjectId } = record;
      await subjects.updateOne({ _id: subjectId, 'contents.recordId': _id }, { $unset: { contents: '' } });
      if (record.status !== 'success') return;
      const filesRemovedAt = record.files.length === 0 ? undefined : (record.filesRemovedAt ?? at);
      const $set = { contentsRemovedAt: record.contentsRemovedAt ?? at, filesRemovedAt };
      await records.updateOne({ _id }, { $set, $unset: { title: '' } });
      endedRecords.forget(_id);
    },
    async standingOf(subjectId: string) {
      const { latestId, successId } = await getSubject(subjectId);
      const [latest, other] = await Promise.all([
        getIfAny(latestId),
        successId === latestId ? undefined : getIfAny(successId),
      ]);
      return { latest, success: successId === latestId ? latest : other };
    },
    latestOf: async (subjectId: string) => getIfAny((await getSubject(subjectId)).latestId),
    successOf: async (subjectId: string) => getIfAny((await getSubject(subjectId)).successId),
    failureOf: async (subjectId: string) => getIfAny((await getSubject(subjectId)).failedId),
    /** @param subjectId of {@link subjectAbove} @returns the newest success below it, otherwise the newest job */
    async newestBelow(subjectId: string): Promise<DownloadRecord | undefined> {
      let newest: DownloadRecord | undefined;
      for (const id of await lists.newestFirst(subjectId)) {
        const record = await get(id);
        if (record?.status === 'success') return record;
        newest ??= record;
      }
      return newest;
    },
    pointersOf: async (subjectId: string): Promise<Pick<SubjectDocument, 'latestId' | 'successId'>> =>
      getSubject(subjectId),
    /** Makes the record the newest of its subject. @returns the ID of the subject's newest success */
    noteLatest: async ({ subjectId, id }: Pick<DownloadRecord, 'subjectId' | 'id'>): Promise<string | undefined> =>
      (await changeSubject(subjectId, { latestId: id })).successId,
    /** Makes the record the newest success of its subject, and of the subject's canonical one. */
    async noteSuccess({ subjectId, id }: DownloadRecord): Promise<void> {
      const canonicalId = canonicalIn(await changeSubject(subjectId, { successId: id }));
      if (canonicalId !== subjectId) await changeSubject(canonicalId, { successId: id });
    },
    async noteFailure({ subjectId, id }: DownloadRecord): Promise<void> {
      await changeSubject(subjectId, { failedId: id });
    },
    async noteContents(subjectId: string, recordId: string): Promise<void> {
      await changeSubject(subjectId, { contents: { recordId, keptAtMs: Date.now() } });
    },
    /** @param owners by the subject of a post's audio, which both kinds of its URL share */
    async noteOwners(owners: readonly (readonly [subjectId: string, owner: string])[]): Promise<void> {
      if (owners.length === 0) return;
      const changes = owners.map(([_id, owner]) => ({
        updateOne: { filter: { _id }, update: { $set: { owner } }, upsert: true },
      }));
      await subjects.bulkWrite(changes, { ordered: false });
    },
    ownerOf: async (subjectId: string) => (await getSubject(subjectId)).owner,
    /** Subtracts the owner's profile from the price of a pending content, since it will not be charged. May be repeated. */
    async leaveOutProfile(id: string): Promise<void> {
      const record = await get(id);
      const { profilePrice = 0 } = (record?.parameters ?? {}) as Partial<ContentParameters>;
      if (record === undefined || profilePrice === 0) return;
      const { price } = record;
      const change = { price: price - profilePrice, 'parameters.profilePrice': 0 };
      await records.updateOne({ _id: id, status: 'pending', price }, { $set: change });
    },
    /** Replaces the price of a pending job and its reservation. May be repeated. @returns false if the credit does not suffice */
    async setPrice(id: string, price: Thousandths): Promise<boolean> {
      const record = await get(id);
      if (record?.status !== 'pending') return true;
      const { chargedTo, subjectId } = record;
      if (chargedTo !== undefined) {
        await accounts.release(chargedTo, { recordId: id, subjectId, amount: record.price });
        if (!(await accounts.reserve(chargedTo, [{ recordId: id, subjectId, amount: price }]))) return false;
      }
      await records.updateOne({ _id: id, status: 'pending' }, { $set: { price } });
      return true;
    },
    /** Notes whether others wait for a pending job, unless that was noted before. @returns what was noted first */
    async noteInterest(id: string, interest: 'shared' | 'abandoned'): Promise<DownloadRecord['interest']> {
      const filter = { _id: id, status: 'pending', interest: { $exists: false } } as Filter<RecordDocument>;
      await records.updateOne(filter, { $set: { interest } });
      return (await get(id))?.interest;
    },
    contentsOf: async (subjectId: string) => (await getSubject(subjectId)).contents,
    async noteSameAs(subjectId: string, canonicalId: string): Promise<void> {
      await changeSubject(subjectId, { sameAs: { subjectId: canonicalId, foundAtMs: Date.now() } });
    },
    /** @returns the canonical subject if it was found recently, since a handle may get a new owner; otherwise the subject */
    canonicalOf: async (subjectId: string): Promise<string> => canonicalIn(await getSubject(subjectId)),
    /** @returns the other record that fetches the canonical subject; undefined when the given record has the role */
    async claimFetching(
      canonicalId: string,
      recordId: string,
      keepsRole: (record: DownloadRecord) => Promise<boolean>,
    ): Promise<DownloadRecord | undefined> {
      for (;;) {
        const { fetcherId } = await upsertOne(subjects, canonicalId, { $setOnInsert: { fetcherId: recordId } });
        if (fetcherId === recordId) return undefined;
        const fetcher = await getIfAny(fetcherId);
        if (fetcher !== undefined && (await keepsRole(fetcher))) return fetcher;
        // If another process has changed the field, the loop reads it again.
        const { matchedCount } = await subjects.updateOne(
          { _id: canonicalId, fetcherId: fetcherId ?? { $exists: false } },
          { $set: { fetcherId: recordId } },
        );
        if (matchedCount === 1) return undefined;
      }
    },
    /** It may scan the collection. */
    async list({ limit, type, status, mediaId, isWithoutKey, isWithoutMediaInfo, ...range }: RecordFilter) {
      const { before, ids, createdAfter, createdBefore, openSince } = range;
      // The driver ignores undefined fields (mongo-client.ts).
      const filter = {
        ...{ status, mediaId, type: isWithoutMediaInfo === true ? { $ne: 'media_info' } : type },
        _id: ids ? { $in: [...ids] } : before && { $lt: before },
        $or: openSince && [{ status: 'pending' }, { finishedAt: { $gte: openSince } }],
        ...(isWithoutKey === true && { chargedTo: { $exists: false }, startedBy: { $ne: 'service' } }),
        createdAt: (createdAfter ?? createdBefore) && { $gte: createdAfter, $lt: createdBefore },
      } as Filter<RecordDocument>;
      return (await scans(records, { filter, limit })).map(fromDocument);
    },
  };
}

function canonicalIn({ _id, sameAs }: SubjectDocument): string {
  return sameAs !== undefined && isWithin(sameAs.foundAtMs, ALIAS_VALID_MS, Date.now()) ? sameAs.subjectId : _id;
}

function fromDocument({ _id, ...fields }: RecordDocument): DownloadRecord {
  // The type system cannot see that the discriminated union survives the renaming of a field.
  return { id: _id, ...fields } as DownloadRecord;
}

function present(record: DownloadRecord | undefined, id: string): DownloadRecord {
  if (record === undefined) throw new Error(`record ${id} is missing`);
  return record;
}
