import type { Collection, Db } from 'mongodb';
import { isDuplicate } from '../mongo/upsert.ts';

interface MarkDocument {
  _id: 'restore';
  /** When the backup was made: ISO 8601. */
  takenAt: string;
  filesLocation?: string;
}

const marksOf = (db: Db): Collection<MarkDocument> => db.collection(RESTORE_MARKS);

export const RESTORE_MARKS = 'restores';

export async function markRestore(db: Db, mark: Omit<MarkDocument, '_id'>): Promise<void> {
  try {
    await marksOf(db).insertOne({ _id: 'restore', ...mark });
  } catch (error) {
    if (isDuplicate(error)) await refuseUnfinishedRestore(db);
    throw error;
  }
}

export async function unmarkRestore(db: Db): Promise<void> {
  await marksOf(db).deleteOne({ _id: 'restore' });
}

/** Every process calls this first: after an interrupted restore, jobs, charges and files are missing. */
export async function refuseUnfinishedRestore(db: Db): Promise<void> {
  const mark = await marksOf(db).findOne({ _id: 'restore' });
  if (mark === null) return;
  const { databaseName: database } = db;
  const { takenAt, filesLocation } = mark;
  const files = filesLocation === undefined ? ', leave the files where they are,' : ` and ${filesLocation},`;
  throw new Error(
    `MONGODB_DATABASE: the restore of the backup of ${takenAt} into the database ${database} has not finished. Wait for it; if it was interrupted, empty the database ${database}${files} and restore again`,
  );
}
