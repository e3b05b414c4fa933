import type { Collection, Db } from 'mongodb';
import type { DownloadRecord, JobOutcome, PendingRecord } from '../contract/records.ts';

type RecordDocument = Omit<DownloadRecord, 'id'> & { _id: string };
interface SubjectDocument {
  /** Subject ID. */
  _id: string;
  /** The record of the newest job. */
  latestId?: string;
  /** The record of the newest job that succeeded. */
  successId?: string;
}

/** Records by their ULID, and subjects with the ids of their records. */
export interface RecordStore {
  get(id: string): Promise<DownloadRecord | undefined>;
  /** Writes the record unless one with its id is there. @returns the record that is there now */
  insertIfAbsent(record: PendingRecord): Promise<DownloadRecord>;
  /**
   * Moves a pending record to its final state and books the charge, in one conditional write: whoever comes second
   * changes nothing.
   *
   * @returns the record as it is now
   */
  finish(id: string, outcome: JobOutcome, finishedAt: string): Promise<DownloadRecord>;
  latestOf(subjectId: string): Promise<DownloadRecord | undefined>;
  successOf(subjectId: string): Promise<DownloadRecord | undefined>;
  noteLatest(record: DownloadRecord): Promise<void>;
  noteSuccess(record: DownloadRecord): Promise<void>;
}

/** The record store on a MongoDB-wire server: equality on `_id` only, single-document writes only. */
export function createRecordStore(db: Db): RecordStore {
  const records: Collection<RecordDocument> = db.collection('records');
  const subjects: Collection<SubjectDocument> = db.collection('subjects');

  const get = async (id: string): Promise<DownloadRecord | undefined> => {
    const document = await records.findOne({ _id: id });
    return document === null ? undefined : fromDocument(document);
  };
  const subjectRecord = async (
    subjectId: string,
    field: 'latestId' | 'successId',
  ): Promise<DownloadRecord | undefined> => {
    const id = (await subjects.findOne({ _id: subjectId }))?.[field];
    return id === undefined ? undefined : get(id);
  };

  const point = async (subjectId: string, pointers: Omit<SubjectDocument, '_id'>): Promise<void> => {
    await upsert(() => subjects.updateOne({ _id: subjectId }, { $set: pointers }, { upsert: true }));
  };

  return {
    get,
    async insertIfAbsent(record) {
      const { id, ...fields } = record;
      const document = await upsert(() =>
        records.findOneAndUpdate({ _id: id }, { $setOnInsert: fields }, { upsert: true, returnDocument: 'after' }),
      );
      return present(document === null ? undefined : fromDocument(document), id);
    },
    async finish(id, outcome, finishedAt) {
      const current = present(await get(id), id);
      if (current.status === 'pending') {
        const change =
          outcome.status === 'success'
            ? { status: 'success' as const, ...outcome.result, charge: current.price, finishedAt }
            : { status: 'failed' as const, failure: outcome.failure, finishedAt };
        await records.updateOne({ _id: id, status: 'pending' }, { $set: change });
      }
      return present(await get(id), id);
    },
    latestOf: (subjectId) => subjectRecord(subjectId, 'latestId'),
    successOf: (subjectId) => subjectRecord(subjectId, 'successId'),
    noteLatest: ({ subjectId, id }) => point(subjectId, { latestId: id }),
    noteSuccess: ({ subjectId, id }) => point(subjectId, { successId: id }),
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

/** Two concurrent upserts of one `_id` may collide (E11000); the second then finds the document and updates it. */
export async function upsert<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 11_000) throw error;
    return write();
  }
}
