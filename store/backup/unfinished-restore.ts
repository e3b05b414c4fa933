import type { Collection, Db } from 'mongodb';

/** Stands in a database from before the first write of a restore until after its last. */
interface MarkDocument {
  _id: 'restore';
  /** When the backup was made: ISO 8601. */
  takenAt: string;
  /** Where the restore puts files; absent when it leaves them where they are. */
  filesPlace?: string;
}

const marksOf = (db: Db): Collection<MarkDocument> => db.collection(RESTORE_MARKS);

/** The collection of the mark. */
export const RESTORE_MARKS = 'restores';

/** @throws UnfinishedRestoreError when another restore has begun */
export async function markRestore(db: Db, mark: Omit<MarkDocument, '_id'>): Promise<void> {
  try {
    await marksOf(db).insertOne({ _id: 'restore', ...mark });
  } catch (error) {
    if ((error as { code?: unknown }).code === 11_000) await refuseUnfinishedRestore(db);
    throw error;
  }
}

export async function unmarkRestore(db: Db): Promise<void> {
  await marksOf(db).deleteOne({ _id: 'restore' });
}

/**
 * For everything that works on a database: after a restore that was cut off, jobs, charges and files are missing from it.
 *
 * @throws UnfinishedRestoreError
 */
export async function refuseUnfinishedRestore(db: Db): Promise<void> {
  const mark = await marksOf(db).findOne({ _id: 'restore' });
  if (mark !== null) throw new UnfinishedRestoreError(db.databaseName, mark);
}

export class UnfinishedRestoreError extends Error {
  override readonly name = 'UnfinishedRestoreError';

  constructor(database: string, { takenAt, filesPlace }: MarkDocument) {
    const files = filesPlace === undefined ? ', leave the files where they are,' : ` and ${filesPlace},`;
    super(
      `MONGODB_DATABASE: the restore of the backup of ${takenAt} into the database ${database} has not finished. Wait for it; if it was cut off, empty the database ${database}${files} and restore again`,
    );
  }
}
